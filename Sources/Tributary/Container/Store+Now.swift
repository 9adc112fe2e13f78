import TributaryModel
import TributaryStore

extension Store {
    /// Returns the predicate with the store's current time instead of each `now()`.
    func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.resolvingNow(configuration.environment.wallTime())
    }
}

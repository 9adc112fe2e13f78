import TributaryModel
import TributaryStore

extension Store {
    /// The condition with the store's time in the place of each `now()`.
    func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.resolvingNow(unixSeconds: Double(configuration.environment.wallMilliseconds()) / 1000)
    }
}

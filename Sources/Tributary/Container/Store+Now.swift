import TributaryModel
import TributaryStore

extension Store {
    func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.resolvingNow(configuration.environment.wallTime())
    }
}

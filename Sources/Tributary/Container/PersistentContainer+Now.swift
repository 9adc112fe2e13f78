package import TributaryModel
import TributaryStore

extension PersistentContainer {
    /// The condition with the store's time in the place of each `now()`, so that all of one question means one time.
    package func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate { store.resolvingNow(predicate) }
}

extension Store {
    func resolvingNow(_ predicate: ObjectPredicate) -> ObjectPredicate {
        predicate.resolvingNow(unixSeconds: Double(configuration.environment.wallMilliseconds()) / 1000)
    }
}

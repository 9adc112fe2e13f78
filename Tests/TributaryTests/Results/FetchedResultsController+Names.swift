import Tributary

extension FetchedResultsController where Object == Employee {
    /// The names of its employees, in order.
    var names: [String] { fetchedObjects.map(\.name) }
}

import Tributary

extension FetchedResultsController where Object == Employee {
    var names: [String] { fetchedObjects.map(\.name) }
}

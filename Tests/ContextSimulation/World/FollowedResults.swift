import SimulationRunning
import Tributary
import TributaryChanges

/// A fetched results controller of all items, and the list that its differences give.
///
/// Only the queue of the controller's context uses it.
final class FollowedResults {
    private let controller: FetchedResultsController<ManagedObject>
    private var sections: [FetchedSection]
    /// The objects that a difference has named since the last comparison.
    private var named: Set<UniqueID> = []
    private var pictures: [UniqueID: String] = [:]

    init(_ context: ManagedObjectContext) throws {
        controller = try FetchedResultsController(try ContextQuery.all[0].request(), context: context)
        sections = controller.sections
        controller.onChange = { [unowned self] in follow($0) }
    }

    private func follow(_ diff: FetchedResultsDiff) {
        sections = diff.applied(to: sections)
        for item in diff.insertions + diff.updates { named.insert(item.id.uniqueID) }
        for move in diff.moves { named.insert(move.id.uniqueID) }
    }

    /// Returns what is wrong with the list.
    func failure(_ objects: [Int], _ keys: [PropertyValue]) throws -> String? {
        let found = controller.sections.flatMap(\.objectIDs)
        guard sections == controller.sections else {
            let text = sections.flatMap(\.objectIDs).map { ContextModel.name(ContextModel.object($0.uniqueID)) }
            let now = found.map { ContextModel.name(ContextModel.object($0.uniqueID)) }
            return "the controller's differences give \(text), and it shows \(now)"
        }
        let numbers = found.map { ContextModel.object($0.uniqueID) }
        guard numbers.sorted() == objects else {
            return "the controller shows \(numbers.map(ContextModel.name)), not \(objects.map(ContextModel.name))"
        }
        let sorted = try controller.fetchedObjects.map { try $0.value(forKey: "name") }
        guard sorted == keys else { return "the controller's objects are in the order \(sorted), not \(keys)" }
        var now: [UniqueID: String] = [:]
        for object in controller.fetchedObjects {
            let names = ["name", "colour", "stock", "weight"]
            let picture = try names.map { ContextModel.text(try object.value(forKey: $0)) }.joined(separator: " ")
            now[object.uniqueID] = picture
            if let former = pictures[object.uniqueID], former != picture, !named.contains(object.uniqueID) {
                return "the controller does not name \(ContextModel.name(ContextModel.object(object.uniqueID))), "
                    + "which was \(former) and is \(picture)"
            }
        }
        pictures = now
        named = []
        return nil
    }
}

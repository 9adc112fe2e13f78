import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The targets of the subjects of a world, read once, because the world does not change.
final class ReadingCache {
    private struct Key: Hashable {
        var id: ManagedObjectID
        var propertyIndex: Int
    }

    private var targets: [Key: [ReadingSubject]] = [:]

    func targets(_ id: ManagedObjectID, _ propertyIndex: Int, _ read: () -> [ReadingSubject]) -> [ReadingSubject] {
        let key = Key(id: id, propertyIndex: propertyIndex)
        if let known = targets[key] { return known }
        let found = read()
        targets[key] = found
        return found
    }
}

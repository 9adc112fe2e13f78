import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The targets of the subjects of a world, read once, because the world does not change.
final class ReadingCache {
    private struct Key: Hashable {
        var id: ManagedObjectID
        var slot: Int
    }

    private var targets: [Key: [ReadingSubject]] = [:]

    func targets(_ id: ManagedObjectID, _ slot: Int, _ read: () -> [ReadingSubject]) -> [ReadingSubject] {
        let key = Key(id: id, slot: slot)
        if let known = targets[key] { return known }
        let found = read()
        targets[key] = found
        return found
    }
}

import TributaryChanges
import TributaryModel
import TributaryStore

/// What a save writes, and what becomes of each object when it has been written.
///
/// It is made under the write lock and changes nothing until the commit has succeeded.
struct SavePlan {
    /// What becomes of an object.
    enum ObjectResult {
        /// The object's values are the row's from now on.
        case written
        /// The row is read again, because others changed it, or the store computes some of it.
        case reread
        /// The object's changes are dropped, and the row stands.
        case dropped(Row)
        /// The object is gone; true when it was deleted elsewhere, and its changes are lost.
        case gone(isLost: Bool)
    }

    var changes: [Change] = []
    var results: [(object: ManagedObject, result: ObjectResult)] = []
    /// The rows that were read again after the writing.
    var rows: [ObjectIdentifier: Row] = [:]
    var conflicts: [MergeConflict] = []
    /// What `resolveConflict` has said of each object, which it is asked once in a save.
    var resolved: [ObjectIdentifier: MergePolicy] = [:]

    /// Where the outcome of each object is.
    var indices: [ObjectIdentifier: Int] {
        Dictionary(
            results.enumerated().map { (ObjectIdentifier($1.object), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The stored properties of the object that `slots` names, as the log writes them.
    static func writes(_ object: ManagedObject, slots: some Sequence<Int>, isInsert: Bool) -> [PropertyWrite] {
        slots.compactMap { slot in
            let property = object.kind.entity.properties[slot]
            let value = object.values[slot]
            switch property {
            case .attribute(let attribute):
                guard attribute.isStored else { return nil }
                guard attribute.mergeRule == .counter else {
                    return PropertyWrite(name: attribute.name, value: attribute.json(for: value))
                }
                let before = isInsert ? nil : object.row?.values[slot]
                return attribute.increment(from: before ?? .null, to: value)
            case .relationship(let relationship, let storage):
                guard case .column = storage else { return nil }
                return PropertyWrite(name: relationship.name, value: relationship.json(for: value))
            }
        }
    }
}

extension SavePlan {
    /// Whether an object of the store is what others have made of it, and not what the context has.
    var hasLost: Bool {
        results.contains { object, result in
            switch result {
            case .written: false
            case .reread, .dropped, .gone: object.extras?.isUnsaved != true
            }
        }
    }
}

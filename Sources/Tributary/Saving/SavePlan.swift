import TributaryChanges
import TributaryModel
import TributaryStore

/// The changes that a save writes, and the result of each object after the write.
///
/// It is made under the write lock and changes nothing until the commit has succeeded.
struct SavePlan {
    enum ObjectResult {
        case written
        /// The row is read again, because others changed it, or the store computes some values.
        case reread
        /// The object's changes are dropped, and it gets the row's values.
        case dropped(Row)
        /// The object is gone; `isLost` is true when it was deleted elsewhere, and its changes are lost.
        case gone(isLost: Bool)
    }

    var changes: [Change] = []
    var results: [(object: ManagedObject, result: ObjectResult)] = []
    /// The rows that were read again after the write.
    var rows: [ObjectIdentifier: Row] = [:]
    var conflicts: [MergeConflict] = []
    var unique = UniquenessPlan()
    /// The policy that `resolveConflict` returned for each object; it is called once per object in a save.
    var resolved: [ObjectIdentifier: MergePolicy] = [:]

    var indices: [ObjectIdentifier: Int] {
        Dictionary(
            results.enumerated().map { (ObjectIdentifier($1.object), $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Returns the stored properties in `propertyIndexes` of the object, as the log writes them.
    static func writes(_ object: ManagedObject, propertyIndexes: some Sequence<Int>, isInsert: Bool) -> [PropertyWrite]
    {
        var writes: [PropertyWrite] = []
        writes.reserveCapacity(propertyIndexes.underestimatedCount)
        for propertyIndex in propertyIndexes {
            if let write = write(object, propertyIndex, isInsert: isInsert) { writes.append(write) }
        }
        return writes
    }

    private static func write(_ object: ManagedObject, _ propertyIndex: Int, isInsert: Bool) -> PropertyWrite? {
        let property = object.descriptor.entity.properties[propertyIndex]
        let value = object.values[propertyIndex]
        switch property {
        case .attribute(let attribute):
            guard attribute.isStored else { return nil }
            guard attribute.mergeRule == .counter else {
                return PropertyWrite(name: attribute.name, value: attribute.json(for: value))
            }
            let before = isInsert ? nil : object.row?.values[propertyIndex]
            let terms = object.managedObjectContext?.saving.request
            guard let given = terms?.increments[RelationshipDelta.Key(object, propertyIndex)], given.shown == value
            else { return attribute.increment(from: before ?? .null, to: value) }
            // An assignment before the increments counts as one more.
            let assigned = attribute.increment(from: before ?? .null, to: given.before)?.value["increment"]
            let sum = CounterTotals.sum(assigned.flatMap(CounterTotals.number), given.sum)
            guard sum != .integer(0), sum != .double(0) else { return nil }
            return PropertyWrite(
                name: attribute.name,
                value: .object([JSONMember(key: "increment", value: sum.json)])
            )
        case .relationship(let relationship, let storage):
            guard case .column = storage else { return nil }
            return PropertyWrite(name: relationship.name, value: relationship.json(for: value))
        }
    }
}

extension SavePlan {
    /// Whether a stored object has the state that others have given it instead of the context's.
    var hasLost: Bool {
        results.contains { object, result in
            switch result {
            case .written: false
            case .reread, .dropped, .gone: object.extras?.isUnsaved != true
            }
        }
    }
}

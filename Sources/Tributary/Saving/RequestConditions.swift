import TributaryChanges
import TributaryStore

/// The conditions of the next save, because it answers a request.
struct RequestConditions {
    var idempotencyKey: String?
    /// The conflict whose losing value the changes restore, which is marked in the same commit.
    var restoredConflict: Int64?
    var versions: [ManagedObjectID: Int64] = [:]
    /// The object of each change.
    var objects: [ManagedObjectID] = []
    /// The positions that objects were given in ordered relationships.
    var positions: [RelationshipDelta.Key: [ManagedObjectID: String]] = [:]
    /// The increments that counters were given.
    var increments: [RelationshipDelta.Key: Increment] = [:]

    /// The index of the first change of each object; O(n), for errors.
    var indices: [ManagedObjectID: Int] { Dictionary(zip(objects, 0...)) { first, _ in first } }

    /// The object of each change after the save; another one keeps the unique key of a new object that was not written.
    func answers(_ plan: SavePlan) -> [UniqueID] {
        objects.map { plan.unique.replacement(of: $0.uniqueID, root: $0.rootEntity) ?? $0.uniqueID }
    }

    /// The exact sum of a counter's increments, because the difference of the values that it shows may be rounded.
    struct Increment {
        let before: PropertyValue
        var sum: PropertyValue
        /// The value after the last one; when the counter has another value, somebody has assigned it.
        var shown: PropertyValue
    }
}

/// A request with this idempotency key has already been processed, and this one wrote nothing.
package struct RepeatedRequest: Error, Hashable, Sendable {
    package var number: Int64
    package var detail: String

    package init(number: Int64, detail: String) {
        self.number = number
        self.detail = detail
    }
}

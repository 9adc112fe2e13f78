import TributaryChanges
import TributaryStore

/// What the next save must hold to, because it answers a request.
struct RequestConditions {
    /// Stored in the same commit.
    var idempotency: LocalTransaction.Idempotency?
    /// The versions that objects must still have.
    var versions: [ManagedObjectID: Int64] = [:]
    /// The index of the change that an object came with first.
    var indices: [ManagedObjectID: Int] = [:]
    /// The places that objects were given in ordered relationships.
    var positions: [RelationshipDelta.Key: [ManagedObjectID: String]] = [:]
}

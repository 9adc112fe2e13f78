import TributaryChanges

/// The identity of an object in any of a container's contexts: its root entity and its UUID.
struct ObjectKey: Hashable, Sendable {
    var rootIndex: Int
    var id: UniqueID
}

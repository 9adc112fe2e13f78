import TributaryChanges

/// One object in any of a container's contexts: its table and its UUID.
struct ObjectKey: Hashable, Sendable {
    var rootIndex: Int
    var id: UniqueID
}

package import TributaryChanges

/// A deleted object that left values behind.
package struct Tombstone: Hashable, Sendable {
    /// The object's root entity.
    package var root: String
    package var id: UniqueID

    package init(root: String, id: UniqueID) {
        self.root = root
        self.id = id
    }
}

package import TributaryChanges

/// A deleted object with preserved values.
package struct Tombstone: Hashable, Sendable {
    package var root: String
    package var id: UniqueID

    package init(root: String, id: UniqueID) {
        self.root = root
        self.id = id
    }
}

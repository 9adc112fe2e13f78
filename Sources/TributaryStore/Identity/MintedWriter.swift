package import TributaryChanges

/// The result of a change of the store's own writer.
package struct MintedWriter: Sendable, Hashable {
    package var former: UniqueID
    package var new: UniqueID
    /// The former writer's last published transaction, 0 for none.
    package var published: UInt64
    /// The number of transactions that are issued again under the new writer.
    package var reissued: UInt64
}

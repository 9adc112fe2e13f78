package import TributaryChanges

/// A transaction of the store's history with its changes.
package struct HistoryTransaction: Sendable, Hashable {
    package enum Kind: String, Sendable { case insert, update, delete }

    package struct Change: Sendable, Hashable {
        package var id: ManagedObjectID
        package var kind: Kind
        /// The names of the written properties, including linked relationships; empty for a deletion.
        package var properties: [String]

        package init(id: ManagedObjectID, kind: Kind, properties: [String]) {
            self.id = id
            self.kind = kind
            self.properties = properties
        }
    }

    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    package var author: String?
    package var contextName: String?
    package var committedAt: WallTime
    package var changes: [Change]

    package init(
        number: Int64,
        writer: UniqueID,
        sequence: UInt64,
        clock: HybridClock,
        author: String?,
        contextName: String?,
        committedAt: WallTime,
        changes: [Change]
    ) {
        self.number = number
        self.writer = writer
        self.sequence = sequence
        self.clock = clock
        self.author = author
        self.contextName = contextName
        self.committedAt = committedAt
        self.changes = changes
    }
}

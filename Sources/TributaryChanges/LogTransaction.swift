/// A whole transaction of the log, for those that are small enough to be held.
package struct LogTransaction: Hashable, Sendable {
    package var header: TransactionHeader
    package var changes: [Change]

    package init(header: TransactionHeader, changes: [Change]) {
        self.header = header
        self.changes = changes
    }
}

/// A transaction of the log with all of its changes in memory.
package struct LogTransaction: Hashable, Sendable {
    package var header: TransactionHeader
    package var changes: [Change]

    package init(header: TransactionHeader, changes: [Change]) {
        self.header = header
        self.changes = changes
    }
}

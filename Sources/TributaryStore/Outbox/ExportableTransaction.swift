/// A local transaction in its exported form: the lines of the log.
package struct ExportableTransaction: Sendable, Hashable {
    package var sequence: UInt64
    /// The transaction line and the change lines, each ended by a newline.
    package var lines: [UInt8]
    package var changeCount: Int

    package init(sequence: UInt64, lines: [UInt8], changeCount: Int) {
        self.sequence = sequence
        self.lines = lines
        self.changeCount = changeCount
    }
}

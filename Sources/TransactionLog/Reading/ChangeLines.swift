package import TributaryChanges

/// Parses the lines of a writer's transactions, which arrive in pieces of any size, for example from an outbox.
package struct ChangeLines {
    private let writer: UniqueID
    private var parser = ChangeLineParser()
    /// `remaining` is the number of its unread changes.
    private var transaction: TransactionHeader?
    private var remaining = 0
    private var rest: [UInt8] = []

    package init(of writer: UniqueID) { self.writer = writer }

    package mutating func read(_ piece: [UInt8], _ body: (TransactionHeader, Change) throws -> Void) throws {
        rest += piece
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[start..<end]
            start = end + 1
            guard let transaction, remaining > 0 else {
                let header = try line.withUnsafeBufferPointer { bytes throws(JSONError) in
                    try TransactionHeader(line: bytes, writer: writer)
                }
                (transaction, remaining) = (header, header.changeCount)
                continue
            }
            remaining -= 1
            let change = try line.withUnsafeBufferPointer { bytes throws(JSONError) in try parser.change(bytes) }
            try body(transaction, change)
        }
        rest.removeSubrange(..<start)
    }
}

import TributaryChanges

/// Checks that the transactions of a segment match its name: consecutive sequences, increasing clocks.
struct TransactionOrder {
    let name: SegmentName
    /// The clock of the last transaction, which is the greatest so far.
    private(set) var clock = HybridClock.zero
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0

    init(_ name: SegmentName) {
        self.name = name
    }

    var hasTransactions: Bool { transactions > 0 }

    /// The sequence that the next transaction must have.
    var nextSequence: UInt64 { name.first + transactions }

    /// Checks a transaction line.
    ///
    /// - Throws: ``JSONError`` with the reason when the line is none, or not that of the next transaction.
    mutating func begin(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> TransactionHeader {
        guard !line.isBlank else { throw JSONError(offset: 0, reason: "the line is blank") }
        let transaction: TransactionHeader
        do throws(JSONError) {
            transaction = try TransactionHeader(line: line, writer: name.writer)
        } catch {
            throw JSONError(offset: error.offset, reason: "a transaction line is due here: \(error.reason)")
        }
        guard transaction.sequence == nextSequence else {
            throw JSONError(
                offset: 0,
                reason: "transaction \(transaction.sequence) stands where \(nextSequence) is due"
            )
        }
        guard transaction.sequence <= name.last else {
            throw JSONError(offset: 0, reason: "transaction \(transaction.sequence) is past the range of the name")
        }
        guard transaction.clock > clock else {
            throw JSONError(offset: 0, reason: "clock \(transaction.clock) is not after \(clock), the one before")
        }
        guard transaction.clock.isAcceptable else {
            throw JSONError(offset: 0, reason: "clock \(transaction.clock) lies in the last year before 2^64")
        }
        clock = transaction.clock
        return transaction
    }

    /// Counts a transaction whose changes have all been read.
    mutating func end(_ transaction: TransactionHeader) {
        transactions += 1
        changes += UInt64(transaction.changeCount)
    }

    /// Checks the counts of the end line.
    func check(_ end: SegmentEnd, line: Int, file: String) throws(SegmentError) {
        let reason: String
        if name.first + transactions - 1 != name.last {
            reason = "the transactions end with \(name.first + transactions - 1), the name says \(name.last)"
        } else if end.last != name.last {
            reason = "the end line says \(end.last), the last transaction is \(name.last)"
        } else if end.transactions != transactions {
            reason = "the number of transactions in the end line is \(end.transactions), there are \(transactions)"
        } else if end.changes != changes {
            reason = "the number of changes in the end line is \(end.changes), there are \(changes)"
        } else {
            return
        }
        throw SegmentError(.rejected, file: file, line: line, reason: reason)
    }
}

import TransactionLog
import TributaryChanges
import TributaryStore

/// Compares the lines of a baseline, in order, with the transactions of the outbox.
///
/// One transaction of the outbox is in memory at a time.
struct TraceComparison {
    /// A transaction of the writer in the baseline, and whether all of its changes so far are in the outbox.
    private struct Current {
        var transaction: BaselineTransaction
        var isEqual: Bool
    }

    var traces: TransactionTraces
    private let writer: UniqueID
    private let outbox: OutboxReader
    private var current: Current?
    /// The transaction of the outbox that was read last; nil content when its lines cannot be read.
    private var last: (sequence: UInt64, content: TransactionContent?)?

    init(of writer: UniqueID, _ traces: TransactionTraces, _ outbox: OutboxReader) {
        (self.writer, self.traces, self.outbox) = (writer, traces, outbox)
    }

    mutating func add(_ entry: BaselineEntry) throws {
        switch entry {
        case .transaction(let transaction):
            end()
            guard transaction.writer == writer else { return }
            current = Current(transaction: transaction, isEqual: traces.has(transaction.sequence, transaction.clock))
        case .change(let change):
            guard var current, current.isEqual else { return }
            current.isEqual = try content(of: current.transaction.sequence)?.has(change) ?? false
            self.current = current
        case .bound, .counter: end()
        }
    }

    /// Ends the transaction whose changes were compared.
    mutating func end() {
        guard let current else { return }
        traces.add(current.transaction.sequence, current.transaction.clock, isEqual: current.isEqual)
        self.current = nil
    }

    private mutating func content(of sequence: UInt64) throws -> TransactionContent? {
        if let last, last.sequence == sequence { return last.content }
        var content: TransactionContent?
        try outbox.localTransactions(from: sequence) { transaction in
            if transaction.sequence == sequence { content = try? TransactionContent(lines: transaction.lines) }
            return false
        }
        last = (sequence, content)
        return content
    }
}

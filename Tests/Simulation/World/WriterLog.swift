import TestSupport
import TransactionLog
import TributaryChanges

/// What one writer has published.
struct WriterLog {
    let writer: UniqueID
    /// The transactions in its segments.
    private(set) var transactions: [LogTransaction] = []
    /// Its segments, in order.
    private(set) var segments: [PublishedSegment] = []
    /// The transactions of other segments with sequences that its segments have: a copy of its store wrote them.
    private(set) var branches: [LogTransaction] = []
    /// The segments that the writer has removed, since a baseline has them.
    var removed: Set<SegmentName> = []
    var baselines: [PublishedBaseline] = []
    /// The transactions of a producer that are in no segment yet.
    private var drafts: [LogTransaction] = []

    init(writer: UniqueID) { self.writer = writer }

    /// The segments that can be had.
    var present: [PublishedSegment] { segments.filter { !removed.contains($0.name) } }

    /// Adds a segment with its transactions.
    mutating func add(_ segment: PublishedSegment, _ transactions: ArraySlice<LogTransaction>) {
        segments.append(segment)
        self.transactions += transactions
    }

    /// Adds the transactions of a segment that is a branch of a fork.
    mutating func add(branch transactions: ArraySlice<LogTransaction>) { branches += transactions }

    /// Adds a transaction of a producer, whose clock has the given wall time.
    mutating func produce(_ changes: [Change], at wall: WallTime) {
        let last = (drafts.last ?? transactions.last)?.header.clock ?? .zero
        let header = TransactionHeader(
            sequence: UInt64(transactions.count + drafts.count) + 1,
            clock: last.next(at: wall),
            changeCount: changes.count
        )
        drafts.append(LogTransaction(header: header, changes: changes))
    }

    /// Adds a segment with all transactions of a producer that are in none.
    mutating func publish() {
        guard !drafts.isEmpty else { return }
        let text = SegmentText(writer: writer, drafts)
        add(PublishedSegment(name: text.name, bytes: text.bytes()), drafts[...])
        drafts = []
    }
}

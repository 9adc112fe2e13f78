import TestSupport
import TransactionLog
import TributaryChanges

/// The transactions and segments that one writer has published.
struct WriterLog {
    /// A segment of a branch, with its transactions.
    struct Branch {
        let segment: PublishedSegment
        let transactions: ArraySlice<LogTransaction>
    }

    let writer: UniqueID
    private(set) var transactions: [LogTransaction] = []
    private(set) var segments: [PublishedSegment] = []
    /// The segments with sequences that its other segments have: a copy of its store wrote them.
    private(set) var branches: [Branch] = []
    /// The segments that the writer has removed, since a baseline has them.
    var removed: Set<SegmentName> = []
    /// The segments that were lost with the writer's log folder, and that no other folder has.
    var lost: Set<SegmentName> = []
    var baselines: [PublishedBaseline] = []
    /// The transactions of a producer that are in no segment yet.
    private var drafts: [LogTransaction] = []

    init(writer: UniqueID) { self.writer = writer }

    /// The segments that can be had.
    var present: [PublishedSegment] { segments.filter { !isGone($0.name) } }

    func isGone(_ name: SegmentName) -> Bool { removed.contains(name) || lost.contains(name) }

    mutating func add(_ segment: PublishedSegment, _ transactions: ArraySlice<LogTransaction>) {
        segments.append(segment)
        self.transactions += transactions
    }

    var allSegments: [PublishedSegment] { segments + branches.map(\.segment) }

    /// The transactions in the segments of all branches; one that is in two segments is there twice.
    var allTransactions: [LogTransaction] { transactions + branches.flatMap(\.transactions) }

    func has(_ segment: PublishedSegment) -> Bool {
        allSegments.contains { $0.name == segment.name && $0.bytes == segment.bytes }
    }

    /// Adds a segment of a writer that may be forked; `own` are all transactions up to its last one, as its program has
    /// committed them.
    mutating func add(_ segment: PublishedSegment, endOf own: ArraySlice<LogTransaction>) {
        let before = own.prefix(Int(segment.name.first) - 1)
        let added = own.dropFirst(before.count)
        if before.count == transactions.count, zip(before, transactions).allSatisfy({ $0.isSame(as: $1) }) {
            add(segment, added)
        } else {
            branches.append(Branch(segment: segment, transactions: added))
        }
    }

    /// The number of transactions of a program up to the last one that is in a segment.
    func publishedCount(of own: [LogTransaction]) -> Int {
        var count = zip(own, transactions).prefix { $0.isSame(as: $1) && $0.header.seen == $1.header.seen }.count
        for branch in branches where own.count >= branch.segment.name.last {
            let same = own[(Int(branch.segment.name.first) - 1)..<Int(branch.segment.name.last)]
            guard zip(same, branch.transactions).allSatisfy({ $0.isSame(as: $1) }) else { continue }
            count = max(count, Int(branch.segment.name.last))
        }
        return count
    }

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

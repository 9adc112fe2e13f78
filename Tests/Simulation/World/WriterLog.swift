import TestSupport
import TransactionLog
import TributaryChanges

/// What one writer has committed and published, by whatever copies of its store.
struct WriterLog {
    let writer: UniqueID
    /// The store that the writer is an incarnation of, and what it goes on from.
    private(set) var incarnation: Incarnation
    /// All transactions that were ever committed under the name of the writer: each sequence has one content.
    private(set) var transactions: [LogTransaction] = []
    private(set) var segments: [PublishedSegment] = []
    /// The number of the first transactions that are in segments.
    private(set) var published = 0
    /// The segments that a store has removed, since a baseline has them.
    private(set) var removed: Set<PublishedSegment> = []
    /// The segments that were lost with a log folder, and that no other folder has.
    var lost: Set<PublishedSegment> = []
    var baselines: [PublishedBaseline] = []
    /// What the store of the writer has found in baselines.
    var comparisons: [BaselineComparison.Name: PublishedComparison] = [:]

    init(writer: UniqueID, incarnation: Incarnation = Incarnation()) {
        (self.writer, self.incarnation) = (writer, incarnation)
    }

    /// The segments that can be had.
    var present: [PublishedSegment] { segments.filter { !isGone($0) } }

    func isGone(_ segment: PublishedSegment) -> Bool { removed.contains(segment) || lost.contains(segment) }

    /// Notes a committed transaction; nil when it is the next one, or what was committed under its name before.
    mutating func commit(_ transaction: LogTransaction) -> String? {
        let sequence = transaction.header.sequence
        guard let known = transactions.dropFirst(Int(sequence) - 1).first else {
            guard sequence == transactions.count + 1 else {
                return "\(writer) has transaction \(sequence) after \(transactions.count)"
            }
            transactions.append(transaction)
            return nil
        }
        return known == transaction ? nil : "\(writer) has transaction \(sequence) with two contents"
    }

    /// Notes a segment, which may be there again; nil when it says what was committed.
    mutating func publish(_ segment: PublishedSegment, _ keys: EncryptionKeys) throws -> String? {
        removed.remove(segment)
        lost.remove(segment)
        guard !segments.contains(segment) else { return nil }
        let (first, last) = (Int(segment.name.first), Int(segment.name.last))
        guard first <= published + 1, last <= transactions.count else {
            return "\(segment.name) is published after transaction \(published) of \(transactions.count)"
        }
        let found = try segment.read(keys)
        // Only the segment with the first transaction says what the writer goes on from.
        let wanted = Incarnation(store: incarnation.store, after: first == 1 ? incarnation.after : nil)
        guard found.header.incarnation == wanted, found.transactions == Array(transactions[(first - 1)..<last]) else {
            return "\(segment.name) does not have what was committed"
        }
        segments.append(segment)
        published = max(published, last)
        return nil
    }

    /// Forgets transactions that were never published and have other names now; what the writer goes on from may have
    /// another name too.
    ///
    /// - Returns: The changes of the forgotten transactions.
    mutating func withdraw(after sequence: Int, _ incarnation: Incarnation?) -> [[Change]] {
        if let incarnation, published == 0 { self.incarnation = incarnation }
        let withdrawn = transactions.dropFirst(max(sequence, published)).map(\.changes)
        transactions.removeLast(withdrawn.count)
        return withdrawn
    }

    /// Loses all files of a name everywhere.
    mutating func lose(_ name: SegmentName) { lost.formUnion(segments.filter { $0.name == name }) }

    /// Loses the files whose key nobody has any more.
    mutating func loseUnreadable(_ keys: FleetKeys) {
        lost.formUnion(segments.filter { keys.content(of: $0.bytes) == nil })
        for place in baselines.indices where keys.content(of: baselines[place].bytes) == nil {
            baselines[place].isRemoved = true
        }
        for (name, comparison) in comparisons where keys.content(of: comparison.bytes) == nil {
            comparisons[name]?.isRemoved = true
        }
    }

    /// The transaction behind a sequence, when a segment that is not lost has it.
    func next(after sequence: UInt64) -> LogTransaction? {
        guard sequence < UInt64(transactions.count) else { return nil }
        let next = sequence + 1
        let isPresent = present.contains { $0.name.first <= next && next <= $0.name.last }
        return isPresent ? transactions[Int(sequence)] : nil
    }

    /// Whether everything is there that a transaction was made after.
    func isApplicable(
        _ transaction: LogTransaction,
        _ known: [UniqueID: UInt64],
        except abandoned: Set<UniqueID>
    ) -> Bool {
        if transaction.header.sequence == 1, let after = incarnation.after, known[after.writer] ?? 0 < after.sequence {
            return false
        }
        return transaction.header.seen.allSatisfy { writer, sequence in
            known[writer] ?? 0 >= sequence || abandoned.contains(writer)
        }
    }

    mutating func remove(_ name: SegmentName) { removed.formUnion(segments.filter { $0.name == name }) }

    /// Adds a transaction of a producer, whose clock has the given wall time.
    mutating func produce(_ changes: [Change], at wall: WallTime) {
        let header = TransactionHeader(
            sequence: UInt64(transactions.count) + 1,
            clock: (transactions.last?.header.clock ?? .zero).next(at: wall),
            changeCount: changes.count
        )
        transactions.append(LogTransaction(header: header, changes: changes))
    }

    /// Adds a segment with all transactions of a producer that are in none.
    mutating func publish() {
        guard published < transactions.count else { return }
        let text = SegmentText(writer: writer, Array(transactions[published...]))
        segments.append(PublishedSegment(name: text.name, bytes: text.bytes()))
        published = transactions.count
    }
}

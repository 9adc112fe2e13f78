import GRDB
package import TributaryChanges
import TributaryModel

/// Decides whether a baseline and the transactions after it give the state of a store that has applied all of them.
///
/// The store must have applied all transactions of the baseline. If the winning write of a cell is in the baseline's
/// positions, it was the winner there too, so the baseline must contain the same write. If the winning write is later, the
/// baseline may contain an older write, or none. A total in the baseline plus the later increments must be the total in the
/// store. The article about the protocol contains the proof.
///
/// The check does not need the segments of the baseline. It reads the later segments only for increments and bounds,
/// because these have no versions.
package final class BaselineLaw {
    package enum Verdict: Hashable, Sendable {
        case sound
        /// Something that would decide is missing, and nothing contradicts.
        case open(String)
        case differs(String)
    }

    /// Where an entry or a change comes from.
    package enum Side: Int64, Sendable {
        case own
        case baseline
        /// A transaction above the positions of the baseline.
        case later
        /// A transaction, or another baseline, at or below the positions of the baseline.
        case earlier
    }

    /// An entry of a baseline with its transaction; bounds and counters have none.
    package struct Entry: Hashable, Sendable {
        package var transaction: BaselineTransaction?
        package var entry: BaselineEntry

        package init(_ entry: BaselineEntry, of transaction: BaselineTransaction? = nil) {
            (self.entry, self.transaction) = (entry, transaction)
        }
    }

    private let cells: BaselineCells
    private let hasForeignRules: Bool
    private let positions: [UniqueID: UInt64]
    private var incomplete: [UniqueID: UInt64] = [:]
    private var complete: Set<UniqueID> = []
    private var finding: Verdict = .sound
    /// The writers of which the store has applied more, with the last transactions in the baseline and in the store.
    package let moved: [(writer: UniqueID, after: UInt64, through: UInt64)]
    /// Whether the transactions above the baseline may contain increments or bounds.
    package private(set) var needsLater = false

    private init(_ reader: Reader, _ header: BaselineHeader, _ writers: [BaselineWriter], _ scratch: Database) throws {
        cells = try BaselineCells(reader.context.layout, scratch)
        positions = Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first }
        hasForeignRules = try reader.hasForeignRules
        let records = try reader.writers.all()
        let claimed = positions
        moved = records.compactMap { record in
            let after = claimed[record.id] ?? 0
            return record.sequence > after ? (record.id, after, record.sequence) : nil
        }
        if try header.rules != reader.context.layout.rules(and: reader.joinedRules) {
            note(
                .open(
                    "The store or its maker has joined a baseline of another version of the model, so that they may have "
                        + "kept other writes that this version does not know."
                )
            )
        }
        let known = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        let predecessors = known.compactMapValues(\.incarnation.after)
        for writer in writers {
            guard let record = known[writer.id], record.sequence >= writer.sequence else {
                note(.open("It has transactions that this store has not applied yet."))
                continue
            }
            let isCurrent = record.sequence == writer.sequence
            if record.incarnation != writer.incarnation {
                note(.differs("Writer \(writer.id) has another label or predecessor."))
            } else if isCurrent ? record.clock != writer.clock : record.clock < writer.clock {
                note(.differs("Writer \(writer.id) has the clock \(writer.clock), and here \(record.clock)."))
            } else {
                let implied = record.seen.implied(by: predecessors)
                for (other, sequence) in writer.seen where sequence > max(record.seen[other], implied[other]) {
                    note(.open("Writer \(writer.id) has acknowledged \(sequence) of writer \(other), and here less."))
                }
            }
        }
    }

    /// Decides about a baseline of the store's model; `body` adds what is to be compared.
    ///
    /// A temporary file of SQLite sorts what is added: O(n log n) for n cells, in bounded memory. The reader stays at one
    /// state of the store.
    ///
    /// - Throws: ``StoreError`` and what `body` throws.
    package static func decide(
        _ header: BaselineHeader,
        _ writers: [BaselineWriter],
        in reader: Reader,
        _ body: (BaselineLaw) throws -> Void
    ) throws -> Verdict {
        try DatabaseQueue.scratch { scratch in
            let law = try BaselineLaw(reader, header, writers, scratch)
            if case .sound = law.finding { try body(law) }
            if case .sound = law.finding { try law.compare() }
            return law.finding
        }
    }

    // MARK: What is compared

    /// Notes an entry that the store and the baseline have alike.
    package func match(_ entry: Entry) {
        if entry.transaction == nil { needsLater = true }
    }

    /// Adds an entry that the other side does not have, or with ``Side/earlier`` one of an older baseline.
    package func add(_ entry: Entry, _ side: Side) throws {
        match(entry)
        switch entry.entry {
        case .transaction: break
        case .change(let change):
            guard let transaction = entry.transaction else { return }
            let version = Version(clock: transaction.clock, writer: transaction.writer)
            try cells.add(change, side, version, transaction.sequence)
        case .bound(let bound): try cells.add(bound, side)
        case .counter(let counter): try cells.add(counter, side)
        }
    }

    /// Adds a change of a segment.
    package func add(_ change: Change, _ side: Side, of writer: UniqueID, _ transaction: TransactionHeader) throws {
        let version = Version(clock: transaction.clock, writer: writer)
        if side == .earlier { try cells.add(change, side, version, transaction.sequence) }
        try cells.addAmounts(of: change, side, writer)
    }

    /// Notes that a segment above the baseline is missing.
    package func lacksLater(_ writer: UniqueID, after sequence: UInt64) { incomplete[writer] = sequence }

    /// Notes that all increments of a writer at or below the baseline were added.
    package func hasAllEarlier(_ writer: UniqueID) { complete.insert(writer) }

    // MARK: The law

    private func note(_ verdict: Verdict) {
        switch (finding, verdict) {
        case (.differs, _), (_, .sound), (.open, .open): break
        default: finding = verdict
        }
    }

    private func compare() throws {
        for (writer, sequence) in incomplete.sorted(by: { $0.key < $1.key }) {
            note(.open("The log folder lacks transactions of writer \(writer) after \(sequence), which may count."))
        }
        try cells.forEachKey { key, group in
            if case .differs = finding { return }
            switch key.kind {
            case .value, .pair, .insert, .delete: note(try versioned(key, group))
            case .bound: note(bound(key, group))
            case .total: note(total(key, group))
            case .deferred: note(deferred(key, group))
            }
        }
    }

    private func versioned(_ key: BaselineCells.Key, _ group: BaselineCells.Group) throws -> Verdict {
        guard Set(group.baseline).count <= 1, Set(group.own).count <= 1 else {
            return .differs("\(key) is there with two writes")
        }
        let (own, theirs) = (group.own.first, group.baseline.first)
        if let own, own.sequence <= positions[own.version.writer, default: 0] {
            guard theirs == own else { return difference(key, theirs, own) }
        } else if let theirs, let own {
            guard theirs.version < own.version else { return difference(key, theirs, own) }
        } else if let theirs, try !cells.isSuperseded(theirs, by: .own) {
            return difference(key, theirs, nil)
        }
        for write in group.earlier {
            if let theirs, write.version < theirs.version { continue }
            // Of several values of one transaction one counts.
            if let theirs, write.version == theirs.version,
                group.earlier.contains(where: { $0.version == write.version && $0.value == theirs.value })
            {
                continue
            }
            guard try cells.isSuperseded(write, by: .baseline) else { return difference(key, theirs, write) }
        }
        return .sound
    }

    private func difference(
        _ key: BaselineCells.Key,
        _ theirs: BaselineCells.Cell?,
        _ own: BaselineCells.Cell?
    ) -> Verdict {
        .differs("\(key) is \(theirs?.description ?? "missing"), and here \(own?.description ?? "missing")")
    }

    /// The greater of a baseline's value and the later ones is that of the store.
    private func bound(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        let rule = key.rule
        let (own, theirs) = (group.own.first?.amount, group.baseline.first?.amount)
        if let theirs, let write = group.earlier.compactMap(\.amount).first(where: { $0.replaces(theirs, under: rule) })
        {
            return .differs("\(key) is \(theirs.json.text), and here \(write.json.text)")
        }
        guard own != theirs else { return .sound }
        let reached = ([theirs] + group.later.map(\.amount)).compactMap(\.self).reduce(PropertyValue?.none) {
            last,
            next in
            last.map { next.replaces($0, under: rule) ? next : $0 } ?? next
        }
        if own == nil && theirs == nil || reached == own { return .sound }
        let text = "\(key) is \(theirs?.json.text ?? "missing"), and here \(own?.json.text ?? "missing")"
        let isLess = own.map { own in theirs.map { own.replaces($0, under: rule) } ?? true } ?? false
        return !incomplete.isEmpty && isLess ? .open(text) : .differs(text)
    }

    /// A baseline's total and the later increments of its writer are the total of the store.
    private func total(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        let (own, theirs) = (group.own.first?.amount, group.baseline.first?.amount)
        guard let writer = key.writer, incomplete[writer] == nil else { return .sound }
        func sum(_ amounts: [BaselineCells.Cell], above first: PropertyValue?) -> PropertyValue? {
            amounts.compactMap(\.amount).reduce(first) { CounterTotals.sum($0, $1) }
        }
        let text = "\(key) is \(theirs?.json.text ?? "missing"), and here \(own?.json.text ?? "missing")"
        let expected = sum(group.later, above: theirs)
        if own == nil, theirs == nil {
            // Both have the same total, which is not among what differs.
            guard expected.map(CounterTotals.isZero) ?? true else { return .differs("\(key) has later increments") }
        } else if expected != own {
            return .differs("\(text), with later increments of \(sum(group.later, above: nil)?.json.text ?? "0")")
        }
        guard complete.contains(writer), !group.earlier.isEmpty || theirs != nil else { return .sound }
        let earlier = sum(group.earlier, above: nil)
        guard earlier == theirs else {
            return .differs(
                "\(key) is \(theirs?.json.text ?? "missing"), and in the log folder \(earlier?.json.text ?? "missing")"
            )
        }
        return .sound
    }

    /// The model does not say how deferred writes merge, so that a difference proves nothing.
    private func deferred(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        let isLater =
            group.baseline.isEmpty && group.own.allSatisfy { $0.sequence > positions[$0.version.writer, default: 0] }
        if isLater && !hasForeignRules || group.own.map(\.value) == group.baseline.map(\.value) { return .sound }
        return .open(
            "The two differ in writes that the model lacks, such as \(key). A machine that has had their properties in an "
                + "older version of its model keeps fewer of such writes."
        )
    }
}

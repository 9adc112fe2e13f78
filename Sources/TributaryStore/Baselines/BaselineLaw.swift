import GRDB
package import TributaryChanges
import TributaryModel

/// Decides whether a baseline plus the later transactions give the state of a store that has applied all of them.
///
/// The article about the protocol contains the proof. The check does not need the segments before the baseline. It
/// reads later segments only for increments and bounds, because these have no versions.
package final class BaselineLaw {
    package enum Verdict: Hashable, Sendable {
        case sound
        case open(String)
        case differs(String)
    }

    package enum Side: Int64, Sendable {
        case own
        case baseline
        case later
        case earlier
    }

    package enum Extent: Sendable {
        case applied
        /// Also transactions that the store lacks. Nothing proves them, so a person vouches for them.
        case withUnknown
    }

    package struct Entry: Sendable {
        package var transaction: BaselineTransaction?
        package var entry: BaselineEntry

        package init(_ entry: BaselineEntry, of transaction: BaselineTransaction? = nil) {
            (self.entry, self.transaction) = (entry, transaction)
        }
    }

    private let cells: BaselineCells
    private let hasForeignRules: Bool
    private let positions: [UniqueID: UInt64]
    private let applied: [UniqueID: UInt64]
    private let ahead: Set<UniqueID>
    private var lackingLater: [UniqueID: UInt64] = [:]
    /// The writers with all transactions up to the baseline in the log.
    private var wholeEarlier: Set<UniqueID> = []
    private var finding: Verdict = .sound
    package let moved: [(writer: UniqueID, after: UInt64, through: UInt64)]
    package private(set) var needsLater = false

    private init(
        _ reader: Reader,
        _ header: BaselineHeader,
        _ writers: [BaselineWriter],
        _ extent: Extent,
        _ scratch: Database
    ) throws {
        cells = try BaselineCells(reader.context.layout, scratch)
        hasForeignRules = try reader.hasForeignRules
        let records = try reader.writers.all()
        let writersHere = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        let claimed = Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first }
        let known = writersHere.mapValues(\.sequence)
        (positions, applied) = (claimed, known)
        ahead = Set(claimed.keys.filter { claimed[$0, default: 0] > known[$0, default: 0] })
        moved = records.compactMap { record in
            let after = claimed[record.id] ?? 0
            return record.sequence > after ? (record.id, after, record.sequence) : nil
        }
        if try header.rules != reader.context.layout.rules(and: reader.joinedRules) {
            let reason =
                "This store or the maker of the baseline has joined a baseline of another version of the model. It may "
                + "keep other writes that this version lacks."
            note(.open(reason))
        }
        let predecessors = writersHere.compactMapValues(\.incarnation.after)
        for writer in writers {
            let isAhead = ahead.contains(writer.id)
            if isAhead, extent == .applied { note(.open("It has transactions that this store has not applied yet.")) }
            guard let record = writersHere[writer.id], record.sequence > 0 else { continue }
            let isCurrent = record.sequence == writer.sequence
            let isEarlier = isAhead ? writer.clock < record.clock : record.clock < writer.clock
            if record.incarnation != writer.incarnation {
                note(.differs("Writer \(writer.id) has another label or predecessor."))
            } else if isCurrent ? record.clock != writer.clock : isEarlier {
                let clocks = "the baseline has \(writer.clock), the store has \(record.clock)"
                note(.differs("The clock of writer \(writer.id): \(clocks)."))
            } else if !isAhead, !writer.seen.isEmpty {
                let implied = record.seen.implied(by: predecessors)
                for (other, sequence) in writer.seen
                where sequence > max(record.seen[other], implied[other]) && !ahead.contains(other) {
                    let seen = "acknowledged transaction \(sequence) of writer \(other)"
                    note(.open("In the baseline writer \(writer.id) has \(seen), in this store less."))
                }
            }
        }
    }

    /// `body` adds the entries to compare; a temporary file sorts them: O(n log n) for n cells, in bounded memory.
    package static func decide(
        _ header: BaselineHeader,
        _ writers: [BaselineWriter],
        in reader: Reader,
        _ extent: Extent = .applied,
        step: () throws -> Void,
        _ body: (BaselineLaw) throws -> Void
    ) throws -> Verdict {
        try DatabaseQueue.scratch { scratch in
            let law = try BaselineLaw(reader, header, writers, extent, scratch)
            // A person who vouches for a baseline needs to see each contradiction.
            guard law.finding == .sound || extent == .withUnknown else { return law.finding }
            try body(law)
            try law.compare(step)
            return law.finding
        }
    }

    // MARK: What is compared

    package func match(_ entry: Entry) {
        if entry.transaction == nil { needsLater = true }
    }

    package func add(_ entry: Entry, _ side: Side) throws {
        match(entry)
        switch entry.entry {
        case .transaction: break
        case .change(let change), .kept(let change):
            guard let transaction = entry.transaction else { return }
            let isKept = if case .kept = entry.entry { true } else { false }
            try cells.add(change, isKept: isKept, side, (transaction.version, transaction.sequence))
        case .bound(let bound): try cells.add(bound, side)
        case .counter(let counter): try cells.add(counter, side)
        }
    }

    package func add(_ change: Change, _ side: Side, of writer: UniqueID, _ transaction: TransactionHeader) throws {
        let version = Version(clock: transaction.clock, writer: writer)
        if side == .earlier { try cells.add(change, side, (version, transaction.sequence)) }
        try cells.addAmounts(of: change, side, writer)
    }

    package func lacksLater(_ writer: UniqueID, from sequence: UInt64) { lackingLater[writer] = sequence }

    package func hasAllEarlier(_ writer: UniqueID) { wholeEarlier.insert(writer) }

    // MARK: The law

    private func note(_ verdict: Verdict) {
        switch (finding, verdict) {
        case (.differs, _), (_, .sound), (.open, .open): break
        default: finding = verdict
        }
    }

    private func compare(_ step: () throws -> Void) throws {
        for (writer, sequence) in lackingLater.sorted(by: { $0.key < $1.key }) {
            let lack = "The log folder lacks transactions of writer \(writer) from \(sequence)."
            note(.open("\(lack) They may contain increments."))
        }
        try cells.forEachKey { key, group in
            try step()
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
        let (own, theirs) = (group.own.first, group.baseline.first)
        guard group.own.other == nil, group.baseline.other == nil else {
            return .differs("\(key) is written twice in one state.")
        }
        if let own, own.sequence <= positions[own.version.writer, default: 0] {
            let isReplaced = theirs.map { own.version < $0.version && isUnknown($0) }
            let isKept = try theirs == own || isReplaced ?? cells.isSuperseded(own, by: .baseline, where: isUnknown)
            guard isKept else { return difference(key, theirs, own) }
        } else if let theirs, !isUnknown(theirs) {
            let isReplaced = try own.map { theirs.version < $0.version } ?? cells.isSuperseded(theirs, by: .own)
            guard isReplaced else { return difference(key, theirs, own) }
        }
        let write = group.earlier
        if let theirs, write.map({ $0.version < theirs.version }) ?? true {
            // The log has all writes of this writer, and it lacks this write.
            let isInvented = wholeEarlier.contains(theirs.version.writer) && !cells.isUnresolved(theirs.version)
            return isInvented ? difference(key, theirs, write) : .sound
        }
        guard let write else { return .sound }
        if let theirs, write.version == theirs.version {
            let isWritten = write.value.isIdentical(to: theirs.value)
            return isWritten || cells.isUnresolved(write.version) ? .sound : difference(key, theirs, write)
        }
        return try cells.isSuperseded(write, by: .baseline) ? .sound : difference(key, theirs, write)
    }

    private func isUnknown(_ cell: BaselineCells.Cell) -> Bool {
        cell.sequence > applied[cell.version.writer, default: 0]
    }

    private func bound(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        let (own, theirs) = (group.own.first, group.baseline.first)
        func isBeyond(_ value: PropertyValue, _ other: PropertyValue?) -> Bool {
            other.map { value.replaces($0, under: key.rule) } ?? true
        }
        let write = group.earlier
        if let amount = write?.amount, isBeyond(amount, theirs?.amount) { return difference(key, theirs, write) }
        // Any writer may have written a bound, so the log must be complete for all writers.
        if wholeEarlier.count == positions.count, write?.amount != theirs?.amount {
            return difference(key, theirs, write)
        }
        guard own?.amount != theirs?.amount else { return .sound }
        let later = group.later?.amount
        let reached = later.map { isBeyond($0, theirs?.amount) ? $0 : theirs?.amount ?? $0 } ?? theirs?.amount
        if reached == own?.amount { return .sound }
        let isLower = own?.amount.map { isBeyond($0, reached) } ?? false
        if !isLower, !ahead.isEmpty { return .sound }
        guard case .differs(let text) = difference(key, theirs, own), !lackingLater.isEmpty, isLower else {
            return difference(key, theirs, own)
        }
        return .open(text)
    }

    private func total(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        let (own, theirs) = (group.own.first, group.baseline.first)
        guard let writer = key.writer else { return counted(key, group) }
        guard lackingLater[writer] == nil else { return .sound }
        let later = group.later?.amount
        let expected = later.map { CounterTotals.sum(theirs?.amount, $0) } ?? theirs?.amount
        // Unknown increments may have any amount.
        let isComparable = !ahead.contains(writer)
        if isComparable, own == nil, theirs == nil {
            // The totals are equal, so neither total is among the differing entries.
            guard later.map(CounterTotals.isZero) ?? true else { return .differs("\(key) has later increments.") }
        } else if isComparable, !isEqual(expected, own?.amount) {
            return difference(key, theirs, own)
        }
        guard wholeEarlier.contains(writer) else { return .sound }
        let earlier = group.earlier
        return isEqual(earlier?.amount, theirs?.amount) ? .sound : difference(key, theirs, earlier)
    }

    private func isEqual(_ total: PropertyValue?, _ other: PropertyValue?) -> Bool {
        total == other || [total, other].compactMap(\.self).allSatisfy(CounterTotals.isZero)
    }

    private func counted(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        let (own, theirs, earlier) = (group.own.first, group.baseline.first, group.earlier)
        let mayDiffer = own == nil ? !ahead.isEmpty : group.later != nil || !lackingLater.isEmpty
        if (own == nil) != (theirs == nil), !mayDiffer { return difference(key, theirs, own) }
        let isWhole = wholeEarlier.count == positions.count
        let isInLog = theirs == nil ? earlier == nil : earlier != nil || !isWhole
        return isInLog ? .sound : difference(key, theirs, earlier)
    }

    private func difference(
        _ key: BaselineCells.Key,
        _ theirs: BaselineCells.Cell?,
        _ own: BaselineCells.Cell?
    ) -> Verdict {
        .differs(
            "\(key): the baseline has \(theirs?.description ?? "nothing"), the store has \(own?.description ?? "nothing")."
        )
    }

    /// The model does not define how deferred writes merge, so a difference proves nothing.
    private func deferred(_ key: BaselineCells.Key, _ group: BaselineCells.Group) -> Verdict {
        // The key contains the version, and a state has at most one transaction of each version.
        let (own, theirs) = (group.own.first, group.baseline.first)
        let isLater =
            theirs.map(isUnknown) ?? true
            && own.map { $0.sequence > positions[$0.version.writer, default: 0] } ?? true
        if isLater && !hasForeignRules || group.own == group.baseline { return .sound }
        return .open(
            "The two differ in writes that the model lacks, such as \(key). A machine that has had their properties in an "
                + "older version of its model keeps fewer of such writes."
        )
    }
}

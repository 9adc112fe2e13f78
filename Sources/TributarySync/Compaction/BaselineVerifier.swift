import TransactionLog
import TributaryChanges
import TributaryStore

/// Compares a baseline with the state of a store, and with the log folder.
struct BaselineVerifier {
    let logs: LogFolder
    let segments: AppliedSegments
    let cancellation: ReadCancellation
    let progress: @Sendable (Int64) -> Void

    struct Result: Sendable {
        var verdict: BaselineLaw.Verdict
        /// What the log folder lacks of the transactions in the baseline; nil also when it was not read.
        var lack: String?
        /// The writers whose later transactions are not all in the log folder.
        var lackingLater: Set<UniqueID> = []
    }

    /// Compares a baseline with the state of a reader.
    ///
    /// With `bases` it also compares the baseline with these older ones and the segments after them. The baseline may have
    /// the transactions of `extent`.
    ///
    /// It reads the baseline twice, for its hash and for its entries, and the later segments if there are increments or bounds.
    ///
    /// - Throws: ``SegmentError`` when the baseline cannot be read, or is not the known one; ``StoreError``, and
    ///   `CancellationError`.
    func verify(
        _ baseline: KnownBaseline,
        _ reader: Reader,
        _ extent: BaselineLaw.Extent = .applied,
        against bases: [KnownBaseline]?
    ) throws -> Result {
        let whole = try KnownBaselines.demandWhole(baseline, in: logs)
        var result = Result(verdict: .sound)
        result.verdict = try BaselineLaw.decide(whole.header, whole.writers, in: reader, extent, step: stop) { law in
            try addStates(baseline, whole, reader, law, onlyDifferent: bases == nil)
            if let bases { result.lack = try addEarlier(than: baseline, bases, law) }
            if law.needsLater { result.lackingLater = try addLater(law) }
        }
        return result
    }

    /// Goes through the entries of both states, which are in one order, and adds those that only one of them has.
    private func addStates(
        _ baseline: KnownBaseline,
        _ whole: VerifiedBaseline,
        _ reader: Reader,
        _ law: BaselineLaw,
        onlyDifferent: Bool
    ) throws {
        var theirs = Entries(BaselineReader(try logs.open(baseline, ImportControl()), whole))
        try theirs.advance()
        var (lines, transaction) = (BaselineLines(), BaselineTransaction?.none)
        _ = try reader.baseline.forEachLine(progress: step) { line in
            try stop()
            guard let own = try parse(line, &lines) else { return }
            if case .transaction(let next) = own { return transaction = next }
            let entry = BaselineLaw.Entry(own, of: own.isOfTransaction ? transaction : nil)
            func isEqual(_ other: BaselineLaw.Entry) -> Bool {
                other.transaction?.sequence == entry.transaction?.sequence && other.version == entry.version
                    && other.entry.lineBytes == line
            }
            while let other = theirs.current, !isEqual(other), other.precedes(entry) {
                try law.add(other, .baseline)
                try theirs.advance()
            }
            guard theirs.current.map(isEqual) == true else { return try law.add(entry, .own) }
            law.match(entry)
            if !onlyDifferent {
                try law.add(entry, .own)
                try law.add(entry, .baseline)
            }
            try theirs.advance()
        }
        while let other = theirs.current {
            try stop()
            try law.add(other, .baseline)
            try theirs.advance()
        }
    }

    private func parse(_ line: [UInt8], _ lines: inout BaselineLines) throws -> BaselineEntry? {
        do throws(JSONError) {
            return try line.dropLast().withUnsafeBufferPointer { bytes throws(JSONError) in try lines.next(bytes) }
        } catch {
            let reason = "the state of this store cannot be written as a baseline: \(error.reason)"
            throw SegmentError(.rejected, file: logs.path, reason: reason)
        }
    }

    private func addLater(_ law: BaselineLaw) throws -> Set<UniqueID> {
        var lacking: Set<UniqueID> = []
        for (writer, after, through) in law.moved {
            let lack = try segments.forEachChange(of: writer, after: after, through: through, step: stop) {
                try law.add($1, .later, of: writer, $0)
            }
            guard let lack else { continue }
            law.lacksLater(writer, from: lack)
            lacking.insert(writer)
        }
        return lacking
    }

    /// Returns what is missing between the older baselines and this one.
    private func addEarlier(
        than baseline: KnownBaseline,
        _ bases: [KnownBaseline],
        _ law: BaselineLaw
    ) throws -> String? {
        var lack: String?
        // A total of a writer comes from the baseline with the most transactions of the writer.
        var greatest: [UniqueID: (base: BaselineName, sequence: UInt64)] = [:]
        for base in bases {
            for (writer, sequence) in base.vector.entries where sequence > greatest[writer]?.sequence ?? 0 {
                greatest[writer] = (base.name, sequence)
            }
        }
        for base in bases {
            let whole = try KnownBaselines.demandWhole(base, in: logs)
            var entries = Entries(BaselineReader(try logs.open(base, ImportControl()), whole))
            try entries.advance()
            while var entry = entries.current {
                if case .counter(var counter) = entry.entry {
                    counter.totals = counter.totals.filter { greatest[$0.key]?.base == base.name }
                    entry.entry = .counter(counter)
                }
                try law.add(entry, .earlier)
                try entries.advance()
                try stop()
            }
        }
        for (writer, last) in baseline.vector.entries.sorted(by: { $0.key < $1.key }) {
            let after = greatest[writer]?.sequence ?? 0
            let found = try segments.forEachChange(of: writer, after: after, through: last, step: stop) {
                try law.add($1, .earlier, of: writer, $0)
            }
            guard let found else {
                // A baseline of another version of the model may contain the increments as deferred writes.
                if bases.allSatisfy({ $0.modelHash == baseline.modelHash }) { law.hasAllEarlier(writer) }
                continue
            }
            lack =
                lack
                ?? "The log folder lacks transaction \(found) of writer \(writer), and no verified baseline has it."
        }
        return lack
    }

    private func step(_ count: Int) throws {
        try stop()
        progress(Int64(count))
    }

    private func stop() throws {
        if cancellation.isCancelled { throw CancellationError() }
    }

    /// The entries of a baseline, each with its transaction.
    private struct Entries {
        private let reader: BaselineReader
        private var transaction: BaselineTransaction?
        private(set) var current: BaselineLaw.Entry?

        init(_ reader: BaselineReader) { self.reader = reader }

        mutating func advance() throws {
            while let next = try reader.next() {
                guard case .transaction(let begun) = next else {
                    return current = BaselineLaw.Entry(next, of: next.isOfTransaction ? transaction : nil)
                }
                transaction = begun
            }
            current = nil
        }
    }
}

extension BaselineEntry {
    fileprivate var isOfTransaction: Bool { if case .change = self { true } else { false } }

    /// With a newline.
    fileprivate var lineBytes: [UInt8] {
        switch self {
        case .change(let change):
            var line: [UInt8] = []
            change.write(to: &line)
            return line
        case .transaction(let transaction): return Array((transaction.line + "\n").utf8)
        case .bound(let bound): return Array((bound.line + "\n").utf8)
        case .counter(let counter): return Array((counter.line + "\n").utf8)
        }
    }
}

extension BaselineLaw.Entry {
    /// Whether it comes before another entry in a baseline.
    ///
    /// Where a baseline has another order, more of its entries are looked at one by one, and the result is the same.
    fileprivate func precedes(_ other: Self) -> Bool { place < other.place }

    fileprivate var version: Version {
        transaction.map { Version(clock: $0.clock, writer: $0.writer) } ?? .none
    }

    private var place: Place {
        switch entry {
        case .transaction: Place()
        case .change(let change):
            Place(
                version: version,
                phase: change.operation.phase,
                entity: change.entity,
                id: change.id
            )
        case .bound(let bound): Place(part: 1, entity: bound.entity, id: bound.id)
        case .counter(let counter): Place(part: 2, id: counter.id)
        }
    }

    private struct Place: Comparable {
        var part = 0
        var version = Version.none
        var phase = 0
        var entity = ""
        var id = UniqueID(high: 0, low: 0)

        static func < (left: Place, right: Place) -> Bool {
            if left.part != right.part { return left.part < right.part }
            if left.version != right.version { return left.version < right.version }
            if left.phase != right.phase { return left.phase < right.phase }
            if left.entity != right.entity { return left.entity.precedesByBytes(right.entity) }
            return left.id < right.id
        }
    }
}

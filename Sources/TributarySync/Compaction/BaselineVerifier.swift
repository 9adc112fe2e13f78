import TransactionLog
import TributaryChanges
import TributaryStore

struct BaselineVerifier {
    let segments: AppliedSegments
    let cancellation: ReadCancellation
    let progress: @Sendable (Int64) -> Void

    private var logs: LogFolder { segments.logs }

    struct Result: Sendable {
        var verdict: BaselineLaw.Verdict
        /// The first transaction of the baseline that the log folder lacks; also nil when the folder was not searched.
        var lack: AppliedSegments.Transaction?
        /// The first later transaction of any writer that both the log folder and the outbox lack.
        var lackingLater: AppliedSegments.Transaction?
        var isCompared = false
    }

    /// Compares a baseline with a reader's state, and with `bases` also with older baselines and the segments after them.
    ///
    /// It reads the baseline twice, for its hash and its entries, and the later segments if there are increments or bounds.
    func verify(
        _ baseline: KnownBaseline,
        _ reader: Reader,
        _ extent: BaselineLaw.Extent = .applied,
        against bases: [KnownBaseline]?
    ) throws -> Result {
        let whole = try KnownBaselines.demandWhole(baseline, in: logs)
        var result = Result(verdict: .sound)
        result.verdict = try BaselineLaw.decide(whole.header, whole.writers, in: reader, extent, step: stop) { law in
            result.isCompared = true
            try addStates(baseline, whole, reader, law, onlyDifferent: bases == nil)
            if let bases { result.lack = try addEarlier(than: baseline, bases, law) }
            if law.needsLater { result.lackingLater = try addLater(law) }
        }
        return result
    }

    /// Walks through both states, which are sorted alike, and adds the entries that only one of them has.
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
            let entry = BaselineLaw.Entry(own, of: own.change.flatMap { _ in transaction })
            func isEqual(_ other: BaselineLaw.Entry) -> Bool {
                other.transaction?.sequence == entry.transaction?.sequence && other.version == entry.version
                    && other.phase == entry.phase && other.entry.lineBytes == line
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

    private func addLater(_ law: BaselineLaw) throws -> AppliedSegments.Transaction? {
        var lacking: AppliedSegments.Transaction?
        for (writer, after, through) in law.moved {
            let lack = try segments.forEachChange(
                of: writer,
                after: after,
                through: through,
                includesOutbox: true,
                step: stop
            ) { try law.add($1, .later, of: writer, $0) }
            guard let lack else { continue }
            law.lacksLater(writer, from: lack)
            lacking = lacking ?? .init(writer: writer, sequence: lack)
        }
        return lacking
    }

    private func addEarlier(
        than baseline: KnownBaseline,
        _ bases: [KnownBaseline],
        _ law: BaselineLaw
    ) throws -> AppliedSegments.Transaction? {
        var lack: AppliedSegments.Transaction?
        // A writer's total comes from the baseline with the most transactions of that writer.
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
                // A baseline of another model version may contain the increments as deferred writes.
                if bases.allSatisfy({ $0.modelHash == baseline.modelHash }) { law.hasAllEarlier(writer) }
                continue
            }
            lack = lack ?? .init(writer: writer, sequence: found)
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

    private struct Entries {
        private let reader: BaselineReader
        private var transaction: BaselineTransaction?
        private(set) var current: BaselineLaw.Entry?

        init(_ reader: BaselineReader) { self.reader = reader }

        mutating func advance() throws {
            while let next = try reader.next() {
                guard case .transaction(let begun) = next else {
                    return current = BaselineLaw.Entry(next, of: next.change.flatMap { _ in transaction })
                }
                transaction = begun
            }
            current = nil
        }
    }
}

extension BaselineLaw.Entry {
    /// If a baseline has another order, more entries are compared singly, with the same result.
    fileprivate func precedes(_ other: Self) -> Bool { place < other.place }

    fileprivate var version: Version { transaction?.version ?? .none }

    /// Within a transaction, the changes that no model can represent (`kept`) come after all other changes.
    fileprivate var phase: Int {
        switch entry {
        case .change(let change): change.operation.phase
        case .kept: .max
        case .transaction, .bound, .counter: 0
        }
    }

    private var place: (Int, Version, Int, String, UniqueID) {
        switch entry {
        case .transaction: (0, version, 0, "", UniqueID(high: 0, low: 0))
        case .change(let change): (0, version, phase, change.entity, change.id)
        case .kept: (0, version, phase, "", UniqueID(high: 0, low: 0))
        case .bound(let bound): (1, .none, 0, bound.entity, bound.id)
        case .counter(let counter): (2, .none, 0, "", counter.id)
        }
    }
}

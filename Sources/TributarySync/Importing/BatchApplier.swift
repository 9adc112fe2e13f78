import TransactionLog
import TributaryChanges
import TributaryStore

/// Applies a batch inside its SQLite transaction.
struct BatchApplier {
    private enum Pause {
        /// The next transaction has unmet dependencies.
        case dependencies
        /// The SQLite transaction is large enough, or the service stops.
        case full
        /// The segment is applied to its end.
        case end
    }

    /// The duration after which a batch ends with its current slice, however few changes were applied: saves wait for
    /// it.
    private static let duration: Duration = .seconds(2)

    private let batch: ImportBatch
    private let end = ContinuousClock.now + BatchApplier.duration
    private let transaction: WriteTransaction
    private var prefetched: PrefetchedSegments?
    /// The segments that this transaction has read from.
    private var opened: Set<SegmentName> = []
    /// Whether a slice has ended that applied everything that was read of its segment before the write lock was taken.
    private var isReadUp = false
    private var live: [UniqueID: UInt64]
    private var ownSequence: UInt64 = 0
    private var hasChanges = false
    private(set) var outcome = ImportBatch.Outcome()
    private(set) var committed: [CommittedTransaction] = []

    init(batch: ImportBatch, transaction: WriteTransaction, prefetched: PrefetchedSegments?) {
        self.batch = batch
        self.prefetched = prefetched
        self.transaction = transaction
        live = batch.positions
    }

    /// Applies the writers' segments in turn until none makes progress, since one writer may wait for another.
    mutating func run() throws {
        try transaction.letRowsWait()
        ownSequence = try transaction.reader.writers.own().sequence
        live[batch.own] = ownSequence
        var queues: [(writer: UniqueID, items: ArraySlice<ImportBatch.Item>)] = []
        var indexes: [UniqueID: Int] = [:]
        for item in batch.items {
            if let index = indexes[item.name.writer] {
                queues[index].items.append(item)
            } else {
                indexes[item.name.writer] = queues.count
                queues.append((item.name.writer, [item]))
            }
        }
        var moves = true
        while moves, !isFull {
            moves = false
            for index in queues.indices {
                while let item = queues[index].items.first, !isFull, !isKnownBlocked(item), mayRead(item) {
                    let before = live[item.name.writer] ?? 0
                    let pause = try apply(item)
                    moves = moves || (live[item.name.writer] ?? 0) > before
                    guard pause == .end else { break }
                    queues[index].items.removeFirst()
                }
            }
        }
        try transaction.applyWaiting()
        try writePartials()
        if hasChanges { try recordUnacknowledged() }
    }

    /// Whether the dependencies that stopped the segment last are still unmet.
    private func isKnownBlocked(_ item: ImportBatch.Item) -> Bool {
        guard let unmet = outcome.unmet[item.name] else { return false }
        return unmet.needs.contains { (live[$0.key] ?? 0) < $0.value && !batch.abandoned.contains($0.key) }
    }

    /// Whether a segment may be read now.
    ///
    /// A segment that has not been read waits for the next SQLite transaction, unless no other segment makes progress.
    private func mayRead(_ item: ImportBatch.Item) -> Bool {
        guard let prefetched, !outcome.positions.isEmpty else { return true }
        return prefetched.contains(item.name) || opened.contains(item.name)
    }

    private var isFull: Bool {
        isReadUp || outcome.counts.changes + outcome.counts.transactions >= batch.sliceChanges
            || batch.control.current != .proceed
            || (!committed.isEmpty && ContinuousClock.now >= end)
    }

    private mutating func apply(_ item: ImportBatch.Item) throws -> Pause {
        let position = live[item.name.writer] ?? 0
        do {
            let reader =
                prefetched?.removeReader(of: item.name) ?? batch.paused.removeReader(of: item.segment, after: position)
                ?? PrefetchedSegments.open(item, of: batch, after: position)
            opened.insert(item.name)
            let blobs = BlobFeed(logs: batch.logs, writer: item.name.writer, control: batch.control)
            let source: BlobSource = { sha256, size, take in try blobs.read(sha256, size: size, take) }
            try transaction.takeBlobs(from: item.segment.mayNameBlobs ? source : nil)
            var deferred = item.partial.map(\.deferred) ?? 0
            if let earlier = outcome.partials[item.name.writer], earlier.name == item.name {
                deferred = earlier.deferred
            }
            let pause = try apply(reader, of: item.name.writer, segment: item, deferred: &deferred)
            try recordProgress(of: item, pause: pause, deferred: deferred)
            if case .full = pause, let sequence = live[item.name.writer] {
                batch.paused.store(reader, of: item.segment, after: sequence)
            }
            return pause
        } catch let error as SegmentError {
            throw SegmentFailure(name: item.name, error: error)
        }
    }

    /// Applies slice after slice.
    ///
    /// After a transaction that must wait, the rest of the slice is only read, which verifies its bytes.
    private mutating func apply(
        _ reader: ReadAhead,
        of writer: UniqueID,
        segment item: ImportBatch.Item,
        deferred: inout Int
    ) throws -> Pause {
        var isBlocked = false
        var isOpen = false
        while let events = try reader.next() {
            batch.control.step()
            guard batch.control.current != .abort else { throw CancellationError() }
            for event in events.events where !isBlocked {
                switch event {
                case .begin(let header):
                    if let unmet = unmetDependencies(of: header) {
                        outcome.unmet[item.name] = unmet
                        isBlocked = true
                    } else if !isOpen, batch.control.current == .finish {
                        isBlocked = true
                    } else {
                        try transaction.beginImport(writer: writer, header: header)
                        isOpen = true
                    }
                case .changes(let changes):
                    try transaction.apply(changes)
                case .rows(let run):
                    try transaction.apply(run)
                case .end:
                    count(try transaction.endImport(), deferred: &deferred)
                    isOpen = false
                }
            }
            guard events.endsSlice else { continue }
            if isBlocked { return .dependencies }
            if live[writer] == item.name.last { return .end }
            isReadUp = prefetched != nil && !committed.isEmpty && !reader.hasPrefetched
            if isFull { return .full }
        }
        return .end
    }

    private func unmetDependencies(of header: TransactionHeader) -> SegmentOutline.UnmetDependencies? {
        guard !header.seen.isEmpty else { return nil }
        let needs = header.seen.filter { (live[$0.key] ?? 0) < $0.value && !batch.abandoned.contains($0.key) }
        return needs.isEmpty ? nil : SegmentOutline.UnmetDependencies(sequence: header.sequence, needs: needs)
    }

    private mutating func count(_ transaction: CommittedTransaction, deferred: inout Int) {
        live[transaction.writer] = transaction.sequence
        outcome.positions[transaction.writer] = transaction.sequence
        outcome.counts.transactions += 1
        outcome.counts.changes += transaction.changeCount
        outcome.deferred += transaction.deferredCount
        deferred += transaction.deferredCount
        hasChanges = hasChanges || transaction.changeCount > 0
        committed.append(transaction)
    }

    /// Records the segment as applied when it is complete, otherwise its progress.
    private mutating func recordProgress(of item: ImportBatch.Item, pause: Pause, deferred: Int) throws {
        let writer = item.name.writer
        let sequence = live[writer] ?? 0
        guard sequence == item.name.last else {
            guard sequence >= item.name.first else { return }
            outcome.partials[writer] = PartialRecord(
                name: item.name,
                sha256: item.segment.end.sha256,
                deferred: deferred
            )
            return
        }
        let record = SegmentRecord(
            writer: writer,
            first: item.name.first,
            last: item.name.last,
            sha256: item.segment.end.sha256,
            deferredCount: deferred
        )
        try transaction.recordSegment(record, name: item.segment.header.name)
        outcome.finished.append(item.name)
        outcome.counts.segments += 1
        outcome.unmet[item.name] = nil
        outcome.partials[writer] = nil
    }

    private func writePartials() throws {
        for writer in outcome.positions.keys {
            let key = StoreKeys.partial(writer)
            let text = outcome.partials[writer]?.text
            guard try transaction.reader.setting(key) != text else { continue }
            try transaction.setSetting(key, to: text)
        }
    }

    /// Records the time since which imported changes are unacknowledged; transactions without changes do not count.
    private func recordUnacknowledged() throws {
        let before = try transaction.reader.setting(StoreKeys.unacknowledged)
        guard before?.split(separator: " ").first.flatMap({ UInt64($0) }) != ownSequence else { return }
        try transaction.setSetting(StoreKeys.unacknowledged, to: "\(ownSequence) \(batch.wall)")
    }
}

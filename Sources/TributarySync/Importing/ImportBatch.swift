package import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// One SQLite transaction of the import: log transactions of verified segments, in the order of `seen`.
struct ImportBatch: Sendable {
    struct Item: Sendable {
        var name: SegmentName
        var segment: VerifiedSegment
        /// The writer's position when the content was compared with the applied transactions; 0 without comparison.
        var comparedThrough: UInt64 = 0
    }

    struct Result: Sendable {
        var positions: [UniqueID: UInt64] = [:]
        var names: [UniqueID: String?] = [:]
        var partials: [UniqueID: PartialRecord] = [:]
        var finished: [SegmentName] = []
        /// The finished segments that name another preceding hash than the applied segment has.
        var unlinked: [SegmentName] = []
        var unmet: [SegmentName: SegmentSummary.UnmetDependencies] = [:]
        /// Segments that were trusted when they were read but no longer are; they are read again.
        var refused: Set<SegmentName> = []
        var counts = ImportCounts()
        var deferred = 0
        var began = ContinuousClock.now
    }

    /// After this duration a batch ends with its current slice, because saves wait for it.
    static let duration = Duration.seconds(2)
    /// The maximum size of a batch in slices while nobody waits for the write lock.
    static let sliceLimit = 5

    static let cachedItems = 100

    var readers: SegmentReaders
    let items: [Item]
    var positions: [UniqueID: UInt64]
    var partials: [UniqueID: PartialRecord] = [:]
    let abandoned: Set<UniqueID>
    var trust = StoreTrust()
    var accepted: [SegmentName: String] = [:]
    let wall: WallTime
    var changeLimit = 0
    var isAwaited: @Sendable () -> Bool = { false }
    var end = ContinuousClock.now
    /// Whether a slice has used up the part of its segment that was read before the write lock was taken.
    var isReadUp = false
    var result = Result()
    var committed: [CommittedTransaction] = []

    func prefetched() throws -> ImportBatch {
        var batch = self
        try batch.readers.prefetch(items, positions: positions, changes: changeLimit)
        return batch
    }

    func apply(_ transaction: WriteTransaction) throws -> (Result, [CommittedTransaction]) {
        var batch = self
        batch.result.began = .now
        batch.end = batch.result.began + ImportBatch.duration
        try transaction.reportingProgress(readers.control.step) { try batch.run(transaction) }
        return (batch.result, batch.committed)
    }
}

extension ImportBatch {
    private enum Pause {
        case dependencies
        case refused
        case full
        case end
    }

    /// A segment is examined once, and again for each of its transactions that has to wait for other writers.
    mutating func run(_ transaction: WriteTransaction) throws {
        try transaction.letRowsWait()
        // The read parts of segments take memory, and the rows of many small segments are on few pages.
        if items.count > ImportBatch.cachedItems { try transaction.freePages() }
        let own = try transaction.reader.writers.own()
        // Local transactions may have been committed since the batch was planned.
        positions[own.id] = own.sequence
        if let after = own.incarnation.after {
            positions[after.writer] = max(positions[after.writer] ?? 0, after.sequence)
        }
        for writer in Set(items.map(\.name.writer)) {
            partials[writer] = try SyncRecords.partial(of: writer, transaction.reader)
        }
        var queues: [(writer: UniqueID, items: ArraySlice<Item>)] = []
        var indexes: [UniqueID: Int] = [:]
        for item in items where isCompared(item) {
            if let index = indexes[item.name.writer] {
                queues[index].items.append(item)
            } else {
                indexes[item.name.writer] = queues.count
                queues.append((item.name.writer, [item]))
            }
        }
        var waiting = AwaitedTransactions()
        var ready = Array(queues.indices)
        var next = 0
        while next < ready.count, !isFull(transaction) {
            let index = ready[next]
            next += 1
            while let item = queues[index].items.first, !isFull(transaction), mayRead(item) {
                let pause = try apply(item, transaction)
                let writer = item.name.writer
                ready += waiting.reached(positions[writer] ?? 0, of: writer)
                guard pause == .end else {
                    let needs = pause == .dependencies ? result.unmet[item.name]?.needs : nil
                    waiting.insert(index, awaiting: needs?.filter { positions[$0.key] ?? 0 < $0.value } ?? [:])
                    break
                }
                queues[index].items.removeFirst()
            }
        }
        try transaction.applyWaiting()
        try writePartials(transaction)
        if result.counts.changes > 0 { try recordUnacknowledged(own.sequence, transaction) }
    }

    /// False if a local transaction has received the name of a transaction in the segment since the batch was planned.
    private func isCompared(_ item: Item) -> Bool {
        WriterPosition(sequence: positions[item.name.writer] ?? 0, partial: partials[item.name.writer]?.partial)
            .isCompared(item.name.bounds, sha256: item.segment.end.sha256, through: item.comparedThrough)
    }

    /// A segment that is not read yet waits for the next SQLite transaction, unless nothing else makes progress.
    private func mayRead(_ item: Item) -> Bool {
        readers.begun?.contains(item.name) ?? true || result.positions.isEmpty
    }

    private func isFull(_ transaction: WriteTransaction) -> Bool {
        isReadUp || isLarge(transaction) || readers.control.current != .proceed
            || (!committed.isEmpty && ContinuousClock.now >= end)
    }

    /// A batch has one slice if somebody waits, or if the rows come in order: later slices are then on other pages.
    ///
    /// A transaction has the weight of several changes, because it takes memory until the commit.
    private func isLarge(_ transaction: WriteTransaction) -> Bool {
        let (changes, transactions) = (result.counts.changes, result.counts.transactions)
        return changes + transactions >= readers.sliceChanges
            && (changes + transactions * ImportBatch.sliceLimit >= changeLimit || isAwaited()
                || transaction.rowsAreInOrder)
    }

    private mutating func apply(_ item: Item, _ transaction: WriteTransaction) throws -> Pause {
        let writer = item.name.writer
        let admission = try trust.admission(of: item.segment, isRead: true, transaction.reader)
        guard admission.refusal == nil || accepted[item.name] == item.segment.end.sha256 else {
            result.refused.insert(item.name)
            return .refused
        }
        do {
            let before = positions[writer] ?? 0
            let reader = readers.removeReader(of: item, after: before)
            let blobs = BlobFeed(logs: readers.logs, writer: writer, control: readers.control)
            let source: BlobSource = { sha256, size, receive in try blobs.read(sha256, size: size, receive) }
            try transaction.setBlobSource(item.segment.mayNameBlobs ? source : nil)
            let earlier = result.partials[writer] ?? partials[writer]
            var deferred = earlier?.name == item.name ? earlier?.deferred ?? 0 : 0
            let pause = try apply(reader, of: item, transaction, deferred: &deferred)
            if positions[writer] ?? 0 > before { try admission.pin(transaction, at: wall) }
            let name = try recordProgress(of: item, deferred: deferred, transaction)
            if result.positions[writer] != nil { result.names[writer] = .some(name) }
            if case .full = pause, let sequence = positions[writer] {
                readers.paused.store(reader, of: item.segment, after: sequence)
            }
            return pause
        } catch let error as SegmentError {
            throw SegmentFailure(name: item.name, error: error)
        }
    }

    /// After a transaction that must wait, the rest of the slice is only read, which verifies its bytes.
    private mutating func apply(
        _ reader: ReadAhead,
        of item: Item,
        _ transaction: WriteTransaction,
        deferred: inout Int
    ) throws -> Pause {
        var isBlocked = false
        while let events = try reader.next() {
            readers.control.step()
            guard readers.control.current != .abort else { throw CancellationError() }
            if !isBlocked {
                isBlocked = try !transaction.merge(events, of: item.segment) { header in
                    let needs = unmet(header, of: item)
                    if !needs.isEmpty { result.unmet[item.name] = .init(sequence: header.sequence, needs: needs) }
                    return needs.isEmpty && readers.control.current != .finish
                } ended: { ended in
                    count(ended)
                    deferred += ended.deferredCount
                }
            }
            guard events.endsSlice else { continue }
            if isBlocked { return .dependencies }
            if positions[item.name.writer] == item.name.last { return .end }
            isReadUp = readers.begun != nil && !committed.isEmpty && !reader.hasPrefetched
            if isFull(transaction) { return .full }
        }
        return .end
    }

    private func unmet(_ header: TransactionHeader, of item: Item) -> [UniqueID: UInt64] {
        if header.sequence == 1, let after = item.segment.header.incarnation.after,
            positions[after.writer] ?? 0 < after.sequence
        {
            return [after.writer: after.sequence]
        }
        return unmet(header.seen)
    }

    private func unmet(_ seen: [UniqueID: UInt64]) -> [UniqueID: UInt64] {
        return seen.isEmpty
            ? seen
            : seen.filter { writer, sequence in
                positions[writer] ?? 0 < sequence && !abandoned.contains(writer)
            }
    }

    private mutating func count(_ transaction: CommittedTransaction) {
        positions[transaction.writer] = transaction.sequence
        result.positions[transaction.writer] = transaction.sequence
        result.counts.transactions += 1
        result.counts.changes += transaction.changeCount
        result.deferred += transaction.deferredCount
        committed.append(transaction)
    }

    private mutating func recordProgress(
        of item: Item,
        deferred: Int,
        _ transaction: WriteTransaction
    ) throws -> String? {
        let writer = item.name.writer
        let sequence = positions[writer] ?? 0
        let sha256 = item.segment.end.sha256
        guard sequence == item.name.last else {
            if sequence >= item.name.first {
                result.partials[writer] = PartialRecord(name: item.name, sha256: sha256, deferred: deferred)
            }
            return item.segment.header.name
        }
        let record = SegmentRecord(
            writer: writer,
            first: item.name.first,
            last: item.name.last,
            sha256: sha256,
            deferredCount: deferred
        )
        let name = try transaction.recordSegment(record, name: item.segment.header.name)
        result.finished.append(item.name)
        if let previous = item.segment.header.previous, item.name.first > 1,
            let before = try transaction.reader.writers.segment(writer: writer, beginningBy: item.name.first - 1),
            before.sha256 != previous
        {
            result.unlinked.append(item.name)
        }
        result.counts.segments += 1
        result.unmet[item.name] = nil
        result.partials[writer] = nil
        return name
    }

    private func writePartials(_ transaction: WriteTransaction) throws {
        for writer in result.positions.keys {
            let key = StoreKeys.partial(writer)
            let text = result.partials[writer]?.text
            guard try transaction.reader.setting(key) != text else { continue }
            try transaction.setSetting(key, to: text)
        }
    }

    private func recordUnacknowledged(_ ownSequence: UInt64, _ transaction: WriteTransaction) throws {
        let before = try transaction.reader.setting(StoreKeys.unacknowledged)
        guard before?.split(separator: " ").first.flatMap({ UInt64($0) }) != ownSequence else { return }
        try transaction.setSetting(StoreKeys.unacknowledged, to: "\(ownSequence) \(wall.milliseconds)")
    }
}

extension WriteTransaction {
    /// Merges a part of a segment up to the first transaction that `admits` refuses; returns false after a refusal.
    func merge(
        _ batch: SegmentBatch,
        of segment: VerifiedSegment,
        admits: (TransactionHeader) throws -> Bool,
        ended: (CommittedTransaction) -> Void = { _ in }
    ) throws -> Bool {
        let writer = segment.name.writer
        for event in batch.events {
            switch event {
            case .begin(let header):
                guard try admits(header) else { return false }
                if header.sequence == 1 { try meet(writer, segment.header.incarnation) }
                try beginImport(writer: writer, header: header)
            case .changes(let changes): try apply(changes)
            case .rows(let run): try apply(run)
            case .end: ended(try endImport())
            }
        }
        return true
    }
}

struct PartialRecord {
    var name: SegmentName
    var sha256: String
    var deferred: Int

    var text: String { "\(name.fileName) \(sha256) \(deferred)" }

    var partial: WriterPosition.Partial { WriterPosition.Partial(bounds: name.bounds, sha256: sha256) }
}

extension PartialRecord {
    init?(_ text: String, writer: UniqueID) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let name = SegmentName(writer: writer, fileName: parts[0]), let deferred = Int(parts[2])
        else { return nil }
        self.init(name: name, sha256: String(parts[1]), deferred: deferred)
    }
}

/// A segment could not be read while it was applied; nothing of its batch was committed.
package struct SegmentFailure: Error, Sendable {
    package var name: SegmentName
    package var error: SegmentError
}

extension SegmentFailure: CustomStringConvertible {
    package var description: String { error.description }
}

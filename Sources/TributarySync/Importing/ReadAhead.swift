import Dispatch
import Glibc
import Synchronization
import TransactionLog
import TributaryChanges

/// Reads a segment's next batches on its own queue while earlier batches are being applied.
///
/// A ``ReadBudget`` limits the memory. ``prefetch(_:)`` reads on the caller's thread, so small segments change no threads.
/// `@unchecked Sendable`: one read at a time uses the reader, on the queue; the lock protects its results.
final class ReadAhead: @unchecked Sendable {
    /// The number of events in a batch: an eighth of a slice, so that applied batches soon make room for the next.
    static let batchLimit = 2_500

    private struct Progress {
        var batches: [SegmentBatch] = []
        var end: Result<Void, SegmentError>?
        var isReading = false
        var isAwaited = false
    }

    private let open: () throws(SegmentError) -> SegmentReader
    private var reader: SegmentReader?
    private let file: String
    private let sliceChanges: Int
    private let control: ImportControl
    private let queue = DispatchQueue(label: "tributary.read-ahead")
    private let ready = DispatchSemaphore(value: 0)
    private let progress: Mutex<Progress>
    private var prefetchedCount = 0

    /// Calls `open` once, on the queue, unless it receives all batches.
    init(
        file: String,
        batches: [SegmentBatch] = [],
        sliceChanges: Int,
        control: ImportControl,
        open: @escaping @Sendable () throws(SegmentError) -> SegmentReader
    ) {
        progress = Mutex(Progress(batches: batches, end: batches.isEmpty ? nil : .success(())))
        self.file = file
        self.sliceChanges = sliceChanges
        self.control = control
        self.open = open
    }

    /// Not for concurrent calls; throws `inputOutput` when reading makes no more progress.
    func next() throws(SegmentError) -> SegmentBatch? {
        while true {
            let (batch, end) = progress.withLock { progress -> (SegmentBatch?, Result<Void, SegmentError>?) in
                if !progress.batches.isEmpty { return (progress.batches.removeFirst(), nil) }
                progress.isAwaited = progress.end == nil
                return (nil, progress.end)
            }
            if let batch {
                prefetchedCount = max(0, prefetchedCount - 1)
                readOn()
                return batch
            }
            if let end {
                try end.get()
                return nil
            }
            readOn()
            try wait()
        }
    }

    var hasPrefetched: Bool { prefetchedCount > 0 }

    var hasFailed: Bool {
        progress.withLock { if case .failure? = $0.end { true } else { false } }
    }

    /// May take long: it must be called before the write lock is taken, and before ``next()``.
    func prefetch(_ budget: inout ReadBudget) throws(SegmentError) {
        prefetchedCount = 0
        while true {
            let end = progress.withLock { progress in
                for batch in progress.batches[prefetchedCount...] { budget.spend(on: batch) }
                prefetchedCount = progress.batches.count
                return progress.end
            }
            if let end {
                try end.get()
                return
            }
            guard !budget.isSpent else { break }
            queue.sync { readBatch() }
        }
        readOn()
    }

    private func wait() throws(SegmentError) {
        var steps = control.progress
        while ready.wait(timeout: .now() + control.patience / .seconds(1)) == .timedOut {
            guard control.progress == steps else {
                steps = control.progress
                continue
            }
            throw SegmentError.silent(file)
        }
    }

    private func readOn() {
        let begins = progress.withLock { progress in
            guard !progress.isReading, wantsMore(progress) else { return false }
            progress.isReading = true
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            readBatch()
            progress.withLock { $0.isReading = false }
            readOn()
        }
    }

    private func wantsMore(_ progress: Progress) -> Bool {
        guard progress.end == nil else { return false }
        var budget = ReadBudget(changes: sliceChanges.multipliedSaturating(by: ImportBatch.sliceLimit))
        for batch in progress.batches { budget.spend(on: batch) }
        return progress.batches.isEmpty || !budget.isSpent
    }

    private func readBatch() {
        guard progress.withLock({ $0.end == nil }) else { return }
        let read = Result { () throws(SegmentError) in
            if reader == nil { reader = try open() }
            return try reader?.nextBatch(limit: min(sliceChanges, ReadAhead.batchLimit))
        }
        let wakes = progress.withLock { progress in
            switch read {
            case .success(let batch?): progress.batches.append(batch)
            case .success(nil): progress.end = .success(())
            case .failure(let error): progress.end = .failure(error)
            }
            defer { progress.isAwaited = false }
            return progress.isAwaited
        }
        // A finished reader needs no buffer and no open file.
        if case .success(nil) = read { reader = nil }
        if wakes { ready.signal() }
    }
}

extension SegmentError {
    static func silent(_ file: String) -> SegmentError {
        let reason = "reading makes no progress: the log folder's file system does not answer"
        return SegmentError(.inputOutput(ETIMEDOUT), file: file, reason: reason)
    }
}

/// The readers of segments that are not applied yet; their bytes take memory, so each batch drops all other readers.
final class PausedReaders: Sendable {
    private struct Kept {
        var sha256: String
        var after: UInt64
        var reader: ReadAhead
    }

    private let kept = Mutex<[SegmentName: Kept]>([:])

    /// Nil unless the reader continues after `after` in these bytes, and has not failed.
    func removeReader(of segment: VerifiedSegment, after: UInt64) -> ReadAhead? {
        let found = kept.withLock { $0.removeValue(forKey: segment.name) }
        guard let found, found.sha256 == segment.end.sha256, found.after == after, !found.reader.hasFailed else {
            return nil
        }
        return found.reader
    }

    func store(_ reader: ReadAhead, of segment: VerifiedSegment, after: UInt64) {
        kept.withLock { $0[segment.name] = Kept(sha256: segment.end.sha256, after: after, reader: reader) }
    }

    func keep(only names: Set<SegmentName>) {
        // Dropped readers end outside of the lock.
        let all = kept.withLock { kept in
            defer { kept = kept.filter { names.contains($0.key) } }
            return kept
        }
        _ = all
    }
}

/// Limits the memory of read segments; a slice is read to its end, because less cannot be committed.
struct ReadBudget {
    /// The bytes of the events of a batch, and of the excess until the slice ends.
    private static let batchBytes = 4 << 20

    private var changes: Int
    private let spareChanges: Int
    private var bytes = ReadBudget.batchBytes
    private var isInsideSlice = false

    init(changes: Int) {
        self.changes = changes
        spareChanges = max(1_000, changes.multipliedSaturating(by: 2))
    }

    var isSpent: Bool {
        guard changes <= 0 || bytes <= 0 else { return false }
        return !isInsideSlice || changes <= -spareChanges || bytes <= -ReadBudget.batchBytes
    }

    mutating func spend(on batch: SegmentBatch) {
        changes -= batch.events.count + batch.changeCount
        bytes -= batch.byteCount
        isInsideSlice = !batch.endsSlice
    }
}

/// Reads the beginnings of a batch's segments before the write lock is taken: a hanging folder delays no save.
///
/// Only the rest of a large transaction is read with the lock held, for at most ``ImportControl/patience``.
struct SegmentReaders: Sendable {
    let logs: LogFolder
    var paused = PausedReaders()
    let sliceChanges: Int
    let control: ImportControl
    private(set) var begun: Set<SegmentName>?

    /// Reads about a slice, for this batch or the next one.
    mutating func prefetch(_ items: [ImportBatch.Item], positions: [UniqueID: UInt64], changes: Int = 0) throws {
        var begun: Set<SegmentName> = []
        defer { self.begun = begun }
        var budget = ReadBudget(changes: max(changes, sliceChanges))
        for item in items where !budget.isSpent {
            let position = positions[item.name.writer] ?? 0
            let reader = removeReader(of: item, after: position)
            do {
                try reader.prefetch(&budget)
            } catch {
                throw SegmentFailure(name: item.name, error: error)
            }
            paused.store(reader, of: item.segment, after: beginning(of: item, after: position))
            begun.insert(item.name)
            guard control.current == .proceed else { break }
        }
    }

    private func beginning(of item: ImportBatch.Item, after position: UInt64) -> UInt64 {
        max(position, max(item.name.first, 1) - 1)
    }

    mutating func removeReader(of item: ImportBatch.Item, after position: UInt64) -> ReadAhead {
        begun?.insert(item.name)
        let segment = item.segment
        let position = beginning(of: item, after: position)
        if let reader = paused.removeReader(of: segment, after: position) { return reader }
        let (logs, control) = (logs, control)
        // The batches contain the whole segment.
        let batches = position < segment.name.first ? segment.batches : []
        return ReadAhead(
            file: "\(logs.path)/\(segment.name.path)",
            batches: batches,
            sliceChanges: sliceChanges,
            control: control
        ) { () throws(SegmentError) in
            let bytes = MeteredBytes(try logs.open(segment.name), control)
            return SegmentReader(bytes, segment: segment, after: position, makesRuns: true)
        }
    }
}

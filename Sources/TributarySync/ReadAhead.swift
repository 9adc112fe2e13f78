import Dispatch
import Glibc
import Synchronization
import TransactionLog

/// Reads a segment's next batch on a queue of its own while the one before is being applied.
///
/// The file is opened there too, so that a mount that hangs holds up nobody but the queue.
///
/// `@unchecked Sendable`: the reader is touched on the queue only, one read at a time; what it read is under the lock.
final class ReadAhead: @unchecked Sendable {
    /// A whole slice of the usual length, which is read while the one before is applied.
    static let batchLimit = 20_000
    /// How long a caller that holds the write lock waits for a read that makes no progress.
    static let patience = Duration.seconds(5)

    private let open: () throws(SegmentError) -> SegmentReader
    private var reader: SegmentReader?
    private let file: String
    private let limit: Int
    private let control: ImportControl
    private let patience: Duration
    private let queue = DispatchQueue(label: "tributary.read-ahead", qos: .background)
    private let ready = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<SegmentBatch?, SegmentError>?>(nil)
    private var isReading = false
    /// Batches that have been read before anybody asked for them, the next one last.
    private var prefetched: [SegmentBatch] = []
    private(set) var isAtEnd = false
    /// The batch that the caller has, or had.
    private var handedOut: SegmentBatch?
    /// The one before that, which the queue lets go of.
    private let returned = Mutex<SegmentBatch?>(nil)

    /// `open` is called once, on the queue.
    init(
        file: String,
        sliceChanges: Int,
        control: ImportControl,
        patience: Duration = ReadAhead.patience,
        open: @escaping @Sendable () throws(SegmentError) -> SegmentReader
    ) {
        self.file = file
        self.control = control
        self.patience = patience
        self.open = open
        limit = min(sliceChanges, ReadAhead.batchLimit)
    }

    deinit {
        queue.async { [handedOut] in _ = handedOut }
    }

    /// The next batch; nil when all has been read.
    ///
    /// Called from one thread at a time.
    ///
    /// - Throws: ``SegmentError`` `changed` when the bytes are not those that were verified, `inputOutput` when reading
    ///   makes no progress any more.
    func next() throws(SegmentError) -> SegmentBatch? {
        var next = prefetched.popLast()
        if next == nil { next = try read(waiting: patience) }
        guard let batch = next else { return nil }
        returned.withLock { swap(&$0, &handedOut) }
        handedOut = batch
        return batch
    }

    /// Whether batches that were read before the write lock was taken are left.
    var hasPrefetched: Bool { !prefetched.isEmpty }

    /// Reads batches until `budget` is spent, or the segment ends; waits as long as it takes.
    ///
    /// Called before the write lock is taken, and before ``next()``.
    ///
    /// - Throws: What ``next()`` throws.
    func prefetch(_ budget: inout ReadBudget) throws(SegmentError) {
        var batches = Array(prefetched.reversed())
        for batch in batches { budget.spend(on: batch) }
        while !budget.isSpent, let batch = try read(waiting: nil) {
            budget.spend(on: batch)
            batches.append(batch)
        }
        prefetched = batches.reversed()
    }

    /// Waits for the batch that is being read, and begins with the one after it.
    private func read(waiting patience: Duration?) throws(SegmentError) -> SegmentBatch? {
        guard !isAtEnd else { return nil }
        if !isReading { begin() }
        try wait(patience)
        isReading = false
        guard let batch = try result.withLock({ $0.take() })?.get() else {
            isAtEnd = true
            return nil
        }
        begin()
        return batch
    }

    private func wait(_ patience: Duration?) throws(SegmentError) {
        guard let patience else { return ready.wait() }
        var steps = control.progress
        while ready.wait(timeout: .now() + patience / .seconds(1)) == .timedOut {
            guard control.progress == steps else {
                steps = control.progress
                continue
            }
            throw SegmentError(
                .inputOutput(ETIMEDOUT),
                file: file,
                reason: "reading makes no progress: the log folder's file system does not answer"
            )
        }
    }

    /// Freeing a batch's strings costs nearly as much as making them, so that is done on the queue as well.
    private func begin() {
        isReading = true
        queue.async { [self] in
            returned.withLock { $0 = nil }
            let read = Result { () throws(SegmentError) in
                if reader == nil { reader = try open() }
                return try reader?.nextBatch(limit: limit)
            }
            // What is read to its end needs no buffer and no open file any more.
            if case .success(nil) = read { reader = nil }
            result.withLock { $0 = read }
            ready.signal()
        }
    }
}

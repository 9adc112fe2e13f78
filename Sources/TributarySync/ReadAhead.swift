import Dispatch
import Synchronization
import TransactionLog

/// Reads a segment's next batch on a queue of its own while the one before is being applied.
///
/// `@unchecked Sendable`: the reader is touched on the queue only, one read at a time; what it read is under the lock.
final class ReadAhead: @unchecked Sendable {
    /// A whole slice of the usual length, which is read while the one before is applied.
    static let batchLimit = 20_000

    private let reader: SegmentReader
    private let limit: Int
    private let queue = DispatchQueue(label: "tributary.read-ahead")
    private let ready = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<SegmentBatch?, SegmentError>?>(nil)
    private var isReading = false
    /// The batch that the caller has, or had.
    private var handedOut: SegmentBatch?
    /// The one before that, which the queue lets go of.
    private let returned = Mutex<SegmentBatch?>(nil)

    init(_ reader: SegmentReader, sliceChanges: Int) {
        self.reader = reader
        limit = min(sliceChanges, ReadAhead.batchLimit)
    }

    deinit {
        queue.async { [handedOut] in _ = handedOut }
    }

    /// The next batch; nil when all has been read.
    ///
    /// Called from one thread at a time.
    ///
    /// - Throws: ``SegmentError`` `changed` when the bytes are not those that were verified.
    func next() throws(SegmentError) -> SegmentBatch? {
        if !isReading { begin() }
        ready.wait()
        isReading = false
        guard let batch = try result.withLock({ $0.take() })?.get() else { return nil }
        returned.withLock { swap(&$0, &handedOut) }
        handedOut = batch
        begin()
        return batch
    }

    /// Freeing a batch's strings costs nearly as much as making them, so that is done on the queue as well.
    private func begin() {
        isReading = true
        queue.async { [self] in
            returned.withLock { $0 = nil }
            let read = Result { () throws(SegmentError) in try reader.nextBatch(limit: limit) }
            result.withLock { $0 = read }
            ready.signal()
        }
    }
}

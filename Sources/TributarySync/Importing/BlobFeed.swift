import Dispatch
import Glibc
import Synchronization
import TransactionLog
import TributaryChanges

/// Reads blobs on its own queue for a caller that holds the write lock, and gives up on a hanging file system.
struct BlobFeed: Sendable {
    /// Passes one portion at a time from the queue to the caller.
    private final class Exchange: Sendable {
        let portion = Mutex<[UInt8]?>(nil)
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let isAbandoned = Atomic(false)
        let filled = DispatchSemaphore(value: 0)
        let emptied = DispatchSemaphore(value: 0)
    }

    private let logs: LogFolder
    private let writer: UniqueID
    private let control: ImportControl
    private let patience: Duration

    init(logs: LogFolder, writer: UniqueID, control: ImportControl, patience: Duration = ReadAhead.patience) {
        self.logs = logs
        self.writer = writer
        self.control = control
        self.patience = patience
    }

    /// Hands over the bytes in portions, on the caller's thread.
    ///
    /// - Throws: What ``BlobReader`` throws; ``SegmentError`` `inputOutput` when a portion does not arrive in time.
    func read(_ sha256: String, size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let exchange = Exchange()
        defer {
            exchange.isAbandoned.store(true, ordering: .releasing)
            exchange.emptied.signal()
        }
        DispatchQueue(label: "tributary.blob").async { [logs, writer] in
            let outcome = Result {
                try BlobReader(logs: logs, writer: writer).read(sha256, size: size) { bytes in
                    exchange.portion.withLock { $0 = Array(bytes) }
                    exchange.filled.signal()
                    exchange.emptied.wait()
                    if exchange.isAbandoned.load(ordering: .acquiring) { throw CancellationError() }
                }
            }
            exchange.outcome.withLock { $0 = outcome }
            exchange.filled.signal()
        }
        while true {
            guard exchange.filled.wait(timeout: .now() + patience / .seconds(1)) == .success else {
                throw SegmentError(
                    .inputOutput(ETIMEDOUT),
                    file: "\(writer)/blobs/\(sha256)",
                    reason: "reading makes no progress: the log folder's file system does not answer"
                )
            }
            control.step()
            guard let portion = exchange.portion.withLock({ $0.take() }) else {
                return try exchange.outcome.withLock { $0.take() }?.get() ?? ()
            }
            try portion.withUnsafeBytes(take)
            exchange.emptied.signal()
        }
    }
}

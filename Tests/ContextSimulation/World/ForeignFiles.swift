import Foundation
import TestSupport
import TransactionLog
import Tributary
import TributaryChanges
import TributaryStore

/// A log folder with the files of the foreign writer, and another store, which has imported them and writes baselines.
final class ForeignFiles {
    private static let writer = UniqueID(high: 7, low: 1 << 63)

    private let path: String
    private let logs: LogFolder
    private let container: PersistentContainer
    private let other: Store
    private var count: UInt64 = 0
    private var previous: String?

    init(path: String, container: PersistentContainer, other: Store) throws {
        (self.path, self.container, self.other) = (path, container, other)
        try FileManager.default.createDirectory(
            atPath: "\(path)/\(ForeignFiles.writer)",
            withIntermediateDirectories: true
        )
        logs = try LogFolder(path: path)
    }

    deinit { try? other.close() }

    /// Imports a transaction of the foreign writer, whose clock is ahead of the store's: from its segment, or from the
    /// baseline of a store that has imported the segment.
    func bring(_ changes: [Change], throughBaseline: Bool) async throws {
        count += 1
        let clock = HybridClock(milliseconds: 1_700_000_000_000 + count)
        let header = TransactionHeader(sequence: count, clock: clock, changeCount: changes.count)
        let transaction = LogTransaction(header: header, changes: changes)
        let segment = SegmentText(writer: ForeignFiles.writer, [transaction], previous: previous)
        previous = segment.sha256
        try write(segment.bytes(), to: segment.name.path)
        let (other, container) = (other, container)
        try await importSegment(segment.name) { block in
            _ = try other.write { transaction in
                guard let committed = try block(transaction).last else { throw NoTransaction() }
                return committed
            }
        }
        if throughBaseline { return try await joinBaseline() }
        try await importSegment(segment.name) { block in
            try await container.importTransactions { ((), try block($0)) }
        }
    }

    private typealias Block = @Sendable (WriteTransaction) throws -> [CommittedTransaction]

    private struct NoTransaction: Error {}

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"), options: .atomic)
    }

    private func importSegment(_ name: SegmentName, _ run: (@escaping Block) async throws -> Void) async throws {
        let verified = try SegmentVerifier().verify(logs.open(name), name: name)
        let logs = logs
        try await run { transaction in
            let reader = SegmentReader(try logs.open(name), segment: verified, makesRuns: true)
            var committed: [CommittedTransaction] = []
            while let batch = try reader.nextBatch(limit: 3) {
                for event in batch.events {
                    switch event {
                    case .begin(let header): try transaction.beginImport(writer: name.writer, header: header)
                    case .changes(let changes): try transaction.apply(changes)
                    case .rows(let run): try transaction.apply(run)
                    case .end: committed.append(try transaction.endImport())
                    }
                }
            }
            return committed
        }
    }

    private func joinBaseline() async throws {
        var bytes: [UInt8] = []
        let writer = try other.read { reader in
            _ = try reader.baseline.forEachLine { bytes += $0 }
            return try reader.writers.own().id
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let name = BaselineName(writer: writer, sequence: count)
        try FileManager.default.createDirectory(atPath: "\(path)/\(writer)", withIntermediateDirectories: true)
        try write(SegmentText.baseline(lines), to: name.path)
        let baseline = try VerifiedBaseline.verify(logs.open(fileName: name.fileName, writer: writer))
        let (logs, other) = (logs, other)
        try await container.importTransactions { write in
            // The baseline only names large binaries.
            try write.setBlobSource { sha256, size, take in
                try other.read { try $0.externalValues.read(sha256, size: size, take) }
            }
            let reader = BaselineReader(try logs.open(fileName: name.fileName, writer: writer), baseline)
            let joined = try write.joinBaseline(
                baseline.header,
                writers: baseline.writers,
                transactionCount: Int(clamping: baseline.end.transactions)
            ) { try reader.next() }
            return ((), joined.map { [$0] } ?? [])
        }
    }
}

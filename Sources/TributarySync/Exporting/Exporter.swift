import CLinux
import Glibc
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// Writes local transactions out as segments.
///
/// It reads the store's history, so that every way of writing is covered and nothing imported goes out again. A
/// segment's range and header are committed and on the disk before its file is renamed into place: an interrupted
/// export is finished with the same bytes.
struct Exporter: Sendable {
    /// Where a test may interrupt an export.
    enum Step: Sendable {
        case begun(SegmentName)
        case placed(SegmentName)
    }

    let store: Store
    /// What peers are shown as this writer's name.
    let name: String
    let logs: String
    let segmentBytes: Int
    let maxAhead: UInt64
    let wall: UInt64
    /// Counts what it does.
    var work = WorkMeter()
    var interrupt: @Sendable (Step) throws -> Void = { _ in }

    /// Exports everything that is committed and not exported.
    @discardableResult
    func run() throws -> ImportCounts {
        let (own, unfinished) = try store.read { (try $0.writers.own(), try $0.outbox.unfinishedExports()) }
        guard own.clock.milliseconds <= wall.addingSaturating(maxAhead) else {
            throw ExportFailure.clockAhead(milliseconds: own.clock.milliseconds - wall)
        }
        if own.name != name { try store.write { try $0.nameOwnWriter(name) } }
        var counts = ImportCounts()
        for range in unfinished { counts = counts + (try publish(range, own: own.id)) }
        while let range = try nextRange(own) {
            try store.write { try $0.beginExport(range) }
            counts = counts + (try publish(range, own: own.id))
        }
        return counts
    }

    /// The next stretch of local transactions with its header; nil when all are exported.
    private func nextRange(_ own: WriterRecord) throws -> ExportRange? {
        try store.read { reader in
            let first = try reader.outbox.lastExported().addingSaturating(1)
            var last = first - 1
            var bytes = 0
            try reader.outbox.localTransactions(from: first) { transaction in
                work.step()
                last = transaction.sequence
                bytes += transaction.lines.count
                return bytes < segmentBytes
            }
            guard last >= first else { return nil }
            let header = SegmentHeader(
                writer: own.id,
                name: name,
                first: first,
                last: last,
                previous: try reader.writers.own().lastSegmentHash,
                model: store.model.version
            )
            return ExportRange(first: first, last: last, header: header.line)
        }
    }

    private func publish(_ range: ExportRange, own: UniqueID) throws -> ImportCounts {
        let name = SegmentName(writer: own, first: range.first, last: range.last)
        let folder = try LogFolder(path: logs)
        // Such as the mount point of a share that is not mounted: what was written there would never reach anybody, and
        // would not be written again.
        guard range.first == 1 || !folder.lacksFolder(of: own) else {
            throw ExportFailure.foreignFolder(path: logs, writer: own, sequence: range.first - 1)
        }
        // What the segment announces must survive a power failure before anybody can see it.
        try syncStore()
        try interrupt(.begun(name))
        var counts = ImportCounts(segments: 1)
        let publisher = SegmentPublisher(folder)
        let end = try publisher.publish(name, header: range.header) { writer in
            try store.read { reader in
                try reader.outbox.localTransactions(from: range.first) { transaction in
                    try writer.append(lines: transaction.lines, changes: transaction.changeCount)
                    work.step()
                    counts.transactions += 1
                    counts.changes += transaction.changeCount
                    return transaction.sequence < range.last
                }
            }
        }
        work.step()
        try interrupt(.placed(name))
        try store.write { try $0.finishExport(first: range.first, sha256: end.sha256) }
        return counts
    }

    /// Syncs the WAL, whatever the connection's own setting is.
    ///
    /// Without one everything is in the store's file.
    private func syncStore() throws {
        let path = store.configuration.path + "-wal"
        let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw ExportFailure.cannotSync(path: path, code: errno) }
            return
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ExportFailure.cannotSync(path: path, code: errno) }
    }
}

package import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// Exports local transactions as segments.
///
/// The exporter reads the store's outbox, so that it covers every way of writing and exports nothing that was
/// imported. The range and the header of a segment are committed and on the disk before its file is renamed to its
/// final name: an interrupted export is completed with identical bytes.
package struct Exporter: Sendable {
    /// The steps of an export at which a test may interrupt it.
    package enum Step: Sendable {
        case begun(SegmentName)
        case placed(SegmentName)
    }

    let store: Store
    /// The name of this writer that peers see.
    let name: String
    let logs: String
    let segmentBytes: Int
    let maxAhead: Duration
    let wall: WallTime
    var work = WorkMeter()
    var interrupt: @Sendable (Step) throws -> Void = { _ in }

    /// Exports everything that is committed and not yet exported.
    @discardableResult
    func run() throws -> ImportCounts {
        let (own, unfinished) = try store.read { (try $0.writers.own(), try $0.outbox.unfinishedExports()) }
        try requireOwnFolder(own)
        try store.read { try requireClockInTime(own, $0) }
        if own.name != name { try store.write { try $0.nameOwnWriter(name) } }
        var counts = ImportCounts()
        for range in unfinished { counts = counts + (try publish(range, own: own.id)) }
        while let range = try nextRange() {
            try store.write { try $0.beginExport(range) }
            counts = counts + (try publish(range, own: own.id))
        }
        return counts
    }

    /// Checks that no transaction of the store has a clock that peers would hold.
    private func requireClockInTime(_ own: WriterRecord, _ reader: Reader) throws {
        let latest = wall.later(by: maxAhead)
        guard own.clock.wallTime > latest else { return }
        let obstacle = try reader.writers.obstacleToNewClocks(after: HybridClock.last(of: latest))
        let ahead = own.clock.wallTime.duration(since: wall)
        guard case .restsOnAheadClock(let writer, _, _) = obstacle else { throw ExportFailure.clockAhead(by: ahead) }
        throw ExportFailure.clockAhead(by: ahead, after: writer)
    }

    /// Whether everything that is committed is exported.
    func isIdle() throws -> Bool {
        try store.read { reader in
            let own = try reader.writers.own().sequence
            return try reader.outbox.lastExported() >= own && reader.outbox.unfinishedExports().isEmpty
        }
    }

    /// Checks that the folder, when it is there, has something of what the store has exported.
    ///
    /// It may be the mount point of an unmounted share: a file there would never reach a peer, and would not be written
    /// again.
    private func requireOwnFolder(_ own: WriterRecord) throws {
        let exported = try store.read { try $0.outbox.lastExported() }
        guard exported > 0, let folder = try? LogFolder(path: logs), isLost(folder, own.id) else { return }
        let finished = try store.read { try $0.writers.segment(writer: own.id, beginningBy: own.sequence)?.last ?? 0 }
        guard finished > 0 else { return }
        let isCertain = try store.read { try LostFolder(of: own.id, in: folder, $0).isCertain }
        throw ExportFailure.foreignFolder(path: logs, writer: own.id, sequence: finished, isCertain: isCertain)
    }

    /// Whether a folder has nothing of the store's writer.
    private func isLost(_ folder: LogFolder, _ own: UniqueID) -> Bool {
        #if MUTATIONS
            if Mutation.isOn(.lostFolderNotNoticed) { return false }
        #endif
        return folder.lacksFolder(of: own)
    }

    /// The next range of local transactions with its header; nil when all are exported.
    ///
    /// The clock is looked at in the same snapshot: a transaction may have been saved since the export began.
    private func nextRange() throws -> ExportRange? {
        try store.read { reader in
            let own = try reader.writers.own()
            let first = try reader.outbox.lastExported().addingSaturating(1)
            var last = first - 1
            var bytes = 0
            try reader.outbox.sizes(from: first) { sequence, size in
                work.step()
                last = sequence
                bytes += size
                return bytes < segmentBytes
            }
            guard last >= first else { return nil }
            try requireClockInTime(own, reader)
            let header = SegmentHeader(
                writer: own.id,
                name: name,
                first: first,
                last: last,
                previous: own.lastSegmentHash,
                model: store.model.version
            )
            return ExportRange(first: first, last: last, header: header.line)
        }
    }

    private func publish(_ range: ExportRange, own: UniqueID) throws -> ImportCounts {
        let name = SegmentName(writer: own, first: range.first, last: range.last)
        let folder = try LogFolder(path: logs)
        // The folder may be the mount point of an unmounted share: a file there would never reach a peer, and would not
        // be written again.
        guard range.first == 1 || !isLost(folder, own) else {
            throw ExportFailure.foreignFolder(path: logs, writer: own, sequence: range.first - 1)
        }
        // The range of the segment must survive a power failure before a peer can see the segment.
        try StoreSync(path: store.configuration.path).run()
        try interrupt(.begun(name))
        var counts = ImportCounts(segments: 1)
        let publisher = SegmentPublisher(folder)
        let end = try publisher.publish(name, header: range.header) { writer in
            try store.read { reader in
                try reader.outbox.forEachPiece(from: range.first, through: range.last) { lines, changes in
                    try writer.append(lines: lines, changes: changes)
                    work.step()
                    guard let changes else { return }
                    counts.transactions += 1
                    counts.changes += changes
                }
            }
        }
        work.step()
        try interrupt(.placed(name))
        try store.write { try $0.finishExport(first: range.first, sha256: end.sha256) }
        return counts
    }
}

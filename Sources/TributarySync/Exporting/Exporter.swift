import CLinux
import Glibc
package import TransactionLog
import TributaryAdmin
package import TributaryChanges
import TributaryModel
import TributaryStore

/// Exports local transactions as segments.
///
/// The exporter reads the store's outbox, so that it covers every way of writing and exports nothing that was
/// imported. The range and the header of a segment are committed and on the disk before its file is renamed to its
/// final name: an interrupted export is completed with identical bytes.
///
/// Whatever else has the name of a segment, or of a later transaction, is a fork: the store continues as a fresh writer,
/// with all transactions that were never exported. A segment that may have been in its place keeps its name: others may
/// have its transactions.
package struct Exporter: Sendable {
    package enum Step: Sendable {
        case begun(SegmentName)
        case placed(SegmentName)
    }

    let store: Store
    let configuration: SyncConfiguration
    let wall: WallTime
    var key: SigningKey?
    /// Nil when the log folder may grow without a limit.
    var room: FolderRoom?
    /// The baselines of the log folder, verified or not, as far as they are known.
    var baselines: [KnownBaseline] = []
    /// Whether everything goes out, however full the folder is.
    var ignoresLimit = false
    var work = WorkMeter()
    var interrupt: @Sendable (Step) throws -> Void = { _ in }
    /// Called with the writer of each segment that is in its place.
    var published: @Sendable (UniqueID) -> Void = { _ in }
    /// Called when the store has continued as a fresh writer, because a file has the name of its next segment.
    var reissued: @Sendable (Restamped, _ file: String) -> Void = { _, _ in }

    private var logs: String { configuration.logs }
    /// The name of this writer that peers see.
    private var name: String { configuration.name ?? store.configuration.name }

    /// Exports the transactions of the store's former writers first, under the names under which they were committed.
    @discardableResult
    func run() throws -> ImportCounts {
        let (own, unfinished) = try store.read { (try $0.writers.own(), try $0.outbox.unfinishedExports()) }
        try requireOwnFolder()
        try requireInTime(store.read { try clockAhead(of: $0.outbox.unexported().map(\.writer), $0) })
        if own.name != name { try store.write { try $0.nameOwnWriter(name) } }
        var counts = ImportCounts()
        for range in unfinished { counts = counts + (try publish(range, isBegun: true)) }
        var exceptions = room?.exceptions ?? 0
        while let range = try nextRange() {
            if try leavesClaimedWriter(range) { continue }
            guard try hasRoom(for: range, &exceptions) else { break }
            do { counts = counts + (try publish(range, isBegun: false)) } catch is RenamedMeanwhile {}
        }
        if counts.segments > 0 { try keepFolder() }
        return counts
    }

    /// The transactions of a range have got the names of a fresh writer, because a baseline claims theirs.
    private struct RenamedMeanwhile: Error {}

    /// The greatest clock of these writers if peers would hold it: it is ahead, and follows no clock that they have.
    private func clockAhead(of writers: [UniqueID], _ reader: Reader) throws -> HybridClock? {
        let clocks = try writers.compactMap { try reader.writers.record(of: $0)?.clock }
        guard let clock = clocks.max(), clock.isAhead(of: wall, by: configuration.maxAhead),
            try !clock.follows(reader.writers.greatestPublishedClock(), within: reader.outbox.waitingCount())
        else { return nil }
        return clock
    }

    private func requireInTime(_ ahead: HybridClock?) throws {
        guard let ahead else { return }
        do {
            let comparison = ContentComparison(store: store, logs: try configuration.openLogs())
            try comparison.requireRestampable(after: .last(of: wall.later(by: configuration.maxAhead)))
        } catch is RestampError {
            // What a copy of the store has published cannot get other clocks.
            return
        }
        throw ExportFailure.clockAhead(by: ahead.wallTime.duration(since: wall))
    }

    /// A full folder takes acknowledgements alone, which let other stores remove what they have, and the exceptions: a
    /// change acknowledges as well, and what is behind it would never be.
    ///
    /// A segment that is begun while there is room is finished, so that the folder has one more than it may.
    private func hasRoom(for range: ExportRange, _ exceptions: inout Int) throws -> Bool {
        guard !ignoresLimit, let room, room.isFull else { return true }
        let (hasChanges, hasOthers) = try store.read { reader in
            (
                try reader.outbox.hasChanges(of: range.writer, in: range.first...range.last),
                try reader.writers.all().contains { !$0.isSelf && $0.sequence > 0 }
            )
        }
        guard hasChanges else { return true }
        guard hasOthers, exceptions > 0 else { return false }
        exceptions -= 1
        return true
    }

    /// The number of transactions that wait until the folder has room again; nil when nothing waits for that.
    ///
    /// Without such a transaction the folder is not measured: the next one would rely on that measurement for a minute.
    func withheld() throws -> Int? {
        guard let room else { return nil }
        let count = try store.read { try $0.outbox.waitingCount() }
        return count > 0 && room.isFull ? count : nil
    }

    /// The files that have names of this store's segments; forgets files that are gone.
    func takenNames() throws -> TakenNames { try TakenNames.remaining(of: store, in: LogFolder(path: logs)) }

    func isIdle() throws -> Bool {
        try store.read { try $0.outbox.unexported().isEmpty && $0.outbox.unfinishedExports().isEmpty }
    }

    /// A folder without the store's exports may be the mount point of an unmounted share: a file there would never
    /// reach a peer, and would not be written again.
    private func requireOwnFolder() throws {
        guard let folder = try? LogFolder(path: logs) else { return }
        let lost = try store.read { try LostFolder(in: folder, $0) }
        guard let writer = lost.lacking else { return }
        let last = try store.read { try $0.writers.segment(writer: writer, beginningBy: .max)?.last ?? 0 }
        throw ExportFailure.foreignFolder(path: logs, writer: writer, sequence: last, isCertain: lost.isCertain)
    }

    private func keepFolder() throws {
        guard let text = MarkedFile(at: logs)?.text, try store.read({ try $0.setting(IdentityKeys.logs) }) != text
        else { return }
        try store.write { try $0.setSetting(IdentityKeys.logs, to: text) }
    }

    /// Checks the clock in the same snapshot: a transaction may have been saved since the export began.
    private func nextRange() throws -> ExportRange? {
        let (range, ahead) = try store.read { reader -> (ExportRange?, HybridClock?) in
            let unexported = try reader.outbox.unexported()
            guard let (id, next) = unexported.first,
                let writer = try reader.writers.record(of: id),
                let run = try reader.outbox.run(of: id, from: next, bytes: configuration.segmentBytes, step: work.step)
            else { return (nil, nil) }
            let (first, last) = (run.lowerBound, run.upperBound)
            let previous = first == 1 ? nil : try reader.writers.segment(writer: id, beginningBy: first - 1)
            let header = SegmentHeader(
                writer: id,
                // Copies give equal bytes to what the writer that they were has not published.
                name: writer.isSelf ? name : writer.name,
                first: first,
                last: last,
                previous: previous?.last == first - 1 ? previous?.sha256 : nil,
                model: store.model.version,
                incarnation: writer.incarnation
            )
            let range = ExportRange(writer: id, first: first, last: last, header: header.line)
            return (range, try clockAhead(of: unexported.map(\.writer), reader))
        }
        try requireInTime(ahead)
        return range
    }

    /// The counts are zero when the store has continued as a fresh writer instead.
    private func publish(_ range: ExportRange, isBegun: Bool) throws -> ImportCounts {
        let name = range.name
        let folder = try configuration.openLogs()
        // The folder may have gone since the export began.
        try requireOwnFolder()
        let wasNeverInPlace = !isBegun || folder.isReady(name)
        var (counts, sha256, bytes) = (ImportCounts(segments: 1), "", UInt64(0))
        let occupant = try place(name, in: folder, bytes: { bytes }) {
            try folder.publish(name, header: range.header, signedBy: key, isMarked: wasNeverInPlace) { end in
                sha256 = end.sha256
                if !isBegun {
                    try store.write { transaction in
                        guard try transaction.beginExport(range) else { throw RenamedMeanwhile() }
                        try pinKey(transaction)
                    }
                }
                // The range of the segment must survive a power failure before a peer can see the segment.
                try StoreSync(path: store.configuration.path).run()
                try interrupt(.begun(name))
            } body: { writer in
                try store.read { reader in
                    try reader.outbox.forEachPiece(of: range) { lines, changes in
                        try writer.append(lines: lines, changes: changes)
                        bytes += UInt64(lines.count)
                        work.step()
                        guard let changes else { return }
                        counts.transactions += 1
                        counts.changes += changes
                    }
                }
            }
        }
        switch occupant {
        // The key of the file is lost. The segment was in its place, or the store has published it before it was set back:
        // who has the key has its transactions.
        case .failure(let taken)
        where try taken.kind == .locked && (!wasNeverInPlace || !store.write({ try $0.continues(as: range.writer) })):
            break
        case .failure(let taken):
            try reissue(range, taken, wasNeverInPlace: wasNeverInPlace)
            folder.forgetReady(name)
            return ImportCounts()
        case .success(let occupied): sha256 = occupied
        }
        room?.added(FileAttributes(name.path, in: folder)?.bytes ?? 0)
        published(name.writer)
        work.step()
        try interrupt(.placed(name))
        try store.write { try $0.finishExport(range, sha256: sha256) }
        return counts
    }

    /// More bytes than the first line of a segment of any store has.
    private static let longestHeader: UInt64 = 64 << 10

    /// A store that has lost this key takes what it has signed with it.
    private func pinKey(_ transaction: WriteTransaction) throws {
        guard let key = key?.publicKey else { return }
        let reader = transaction.reader
        try PinnedKeys(reader).pin(key, to: reader.writers.own().store, at: wall)
    }

    /// A name that is taken by the same transactions is published already: a copy of the store has the same
    /// transactions, though its header may differ.
    ///
    /// A file with more bytes than the header and the own transactions is not read: so an attempt costs no more than the own
    /// segment, however long the file is. `bytes` returns the number of bytes of the own transactions, after `publish`.
    ///
    /// - Returns: The hash of the segment, or of the file with the same transactions; or why another file has the name,
    ///   `locked` when it cannot be compared without a key that is not here.
    ///
    /// - Throws: ``SegmentError`` when the system cannot write the segment, or cannot read what has its name.
    private func place(
        _ name: SegmentName,
        in folder: LogFolder,
        bytes: () -> UInt64,
        _ publish: () throws -> SegmentEnd
    ) throws -> Result<String, SegmentError> {
        var taken: SegmentError
        do {
            return .success(try publish().sha256)
        } catch let error as SegmentError where [.forked, .locked, .incomplete].contains(error.kind) {
            taken = error
        }
        do {
            let file = try folder.open(name)
            let tail = try SegmentTail.read(file)
            guard tail.offset <= bytes().addingSaturating(Exporter.longestHeader) else {
                let reason = "It is longer than the transactions of this store"
                throw SegmentError(.forked, file: file.file, writer: name.writer, reason: reason)
            }
            let segment = try SegmentVerifier().verify(file, name: name)
            let comparison = ContentComparison(store: store, logs: folder)
            guard let reason = try comparison.contradiction(in: file, segment, through: name.last) else {
                return .success(segment.end.sha256)
            }
            // Another sentence follows.
            (taken.kind, taken.reason) = (.forked, reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        } catch let error as SegmentError {
            // The content is unknown while the system cannot read it.
            guard error.isOfContent, ![.changed, .missing].contains(error.kind) else { throw error }
            (taken.kind, taken.reason) = (error.kind, error.reason)
        }
        return .failure(taken)
    }

    private func reissue(_ range: ExportRange, _ taken: SegmentError, wasNeverInPlace: Bool) throws {
        let (file, reason) = (taken.file, taken.reason)
        guard wasNeverInPlace else {
            let known = "Others may have the segment already: its transactions keep their names"
            throw ExportFailure.nameTaken(file: file, reason: "\(reason). \(known).")
        }
        // Another segment may be the store's own, from before its machine was set back.
        let claim = taken.kind == .forked ? TakenNames.Claim(writer: range.writer, last: range.last) : nil
        let path = String(file.dropFirst(logs.count + 1))
        do {
            try reissue(range, TakenNames.Entry(since: wall, path: path, claim: claim, reason: reason))
        } catch {
            // A later attempt begins the segment again: a file that was staged in a temporary folder is gone, and proves no
            // longer that the segment was never in its place.
            try store.write { try $0.giveUpExport(range) }
            guard let error = error as? RestampError else { throw error }
            throw ExportFailure.nameTaken(file: file, reason: "\(reason). \(error)")
        }
    }

    /// Continues the store as a fresh writer with all transactions that were never exported, and records the file, in one
    /// SQLite transaction.
    private func reissue(_ range: ExportRange, _ taken: TakenNames.Entry) throws {
        let (wall, file) = (wall, "\(logs)/\(taken.path)")
        let reissued = try store.write { transaction in
            // A store that is unproven does not wait for the pause; the error leaves it the writer that it is.
            guard try transaction.continues(as: range.writer) else { throw RestampError.unproven(writer: range.writer) }
            if let pause = try TakenNames(transaction.reader).pause(at: wall) {
                let reason = "\(taken.reason). The store continues as a fresh writer in \(pause) s."
                throw ExportFailure.nameTaken(file: file, reason: reason, hasTransactions: taken.claim != nil)
            }
            let reissued = try transaction.reissue(range)
            try TakenNames.record(transaction) { $0.add(taken) }
            return reissued
        }
        self.reissued(reissued, file)
    }

    /// Continues the store as a fresh writer if the log folder has later transactions of the present writer than the
    /// store, which proves that nobody else is this writer.
    ///
    /// What is unproven keeps its names: the store, or a copy of it, may have published it. So does what a segment has
    /// with the same content.
    private func leavesClaimedWriter(_ range: ExportRange) throws -> Bool {
        let folder = try configuration.openLogs()
        // A folder that cannot be read fails the export itself.
        let names = (try? folder.fileNames(of: range.writer)) ?? []
        guard let claim = try claim(on: range.writer, names),
            try ContentComparison(store: store, logs: folder)
                .isPublished(range.first...range.last, of: range.writer, in: names) != true
        else { return false }
        do {
            try reissue(range, claim)
            return true
        } catch is RestampError {
            return false
        }
    }

    /// The file with the last transactions of the present writer that the store does not have; nil for none.
    ///
    /// O(f + b) for f files of the writer and b baselines.
    private func claim(on writer: UniqueID, _ fileNames: [String]) throws -> TakenNames.Entry? {
        var last = (sequence: UInt64(0), path: "")
        func note(_ sequence: UInt64, _ path: String) { if sequence > last.sequence { last = (sequence, path) } }
        for fileName in fileNames {
            switch SegmentFileKind.classify(fileName, writer: writer) {
            case .segment(let name): note(name.last, name.path)
            case .baseline(let sequence): note(sequence, BaselineName(writer: writer, sequence: sequence).path)
            default: break
            }
        }
        for baseline in baselines { note(baseline.vector[writer], baseline.name.path) }
        // The position is read last: files that the store has published meanwhile are not after it.
        let own = try store.read { try $0.writers.own() }
        guard own.id == writer, last.sequence > own.sequence else { return nil }
        let claim = TakenNames.Claim(writer: writer, last: last.sequence)
        let reason = TakenNames.claimReason(writer, after: own.sequence)
        return TakenNames.Entry(since: wall, path: last.path, claim: claim, reason: reason)
    }
}

/// Syncs the WAL of a store to the disk, whatever the connection's own setting is.
///
/// Without a WAL everything is in the store's file.
struct StoreSync {
    let path: String

    func run() throws {
        let path = path + "-wal"
        let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw ExportFailure.cannotSync(path: path, code: errno) }
            return
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ExportFailure.cannotSync(path: path, code: errno) }
    }
}

/// The reason why nothing is exported, besides errors of reading and writing.
package enum ExportFailure: Error, Hashable {
    /// The store's clock is ahead of the wall clock: its exports would win over all other writers.
    case clockAhead(by: Duration)
    case cannotSync(path: String, code: Int32)
    /// The folder contains no earlier export of this writer: an empty folder may be in the place of a share.
    ///
    /// It is certain that it is no such folder when it is the one that the store has used, or has another writer's files.
    case foreignFolder(path: String, writer: UniqueID, sequence: UInt64, isCertain: Bool = false)
    /// Something else has the name of a segment, and its transactions cannot get other names, or not yet; or it has the
    /// name of a comparison.
    ///
    /// `hasTransactions` is whether the file has transactions that may be the store's own, from before it was set back.
    case nameTaken(file: String, reason: String, hasTransactions: Bool = false)
}

extension ExportFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .clockAhead(let ahead):
            "This store's own clock is \(ahead.words) ahead of the machine's; nothing is exported."
        case .cannotSync(let path, let code): "\(path) cannot be written to disk: \(String(cString: strerror(code)))"
        case .foreignFolder(let path, _, let sequence, let isCertain):
            "\(path) has no segments of this store, which has exported transactions up to \(sequence): "
                + (isCertain ? "its own folder was removed." : "it is another folder.")
        case .nameTaken(let file, let reason, _):
            "\(file) has a name that this store is about to use: \(reason)"
        }
    }
}

import CLinux
import Glibc
package import TransactionLog
import TributaryAdmin
package import TributaryChanges
import TributaryModel
import TributaryStore

/// Exports local transactions as segments from the store's outbox, which has the changes of all programs.
///
/// The range and the header of a segment are synced to the disk before the file gets its name, so an interrupted export is
/// completed with identical bytes. If a foreign file has the name of a segment, or later transactions, the store continues
/// as a fresh writer with all transactions that were never exported.
package struct Exporter: Sendable {
    package enum Step: Sendable {
        case begun(SegmentName)
        case placed(SegmentName)
    }

    let store: Store
    let configuration: SyncConfiguration
    let wall: WallTime
    var key: SigningKey?
    var room: FolderRoom?
    var baselines: [KnownBaseline] = []
    var ignoresLimit = false
    var work = WorkMeter()
    var interrupt: @Sendable (Step) throws -> Void = { _ in }
    var published: @Sendable (UniqueID) -> Void = { _ in }
    /// Called when the store has continued as a fresh writer, because another file has the name of its next segment.
    var reissued: @Sendable (Restamped, _ file: String) -> Void = { _, _ in }

    private var logs: String { configuration.logs }
    private var name: String { configuration.name ?? store.configuration.name }

    /// Former writers come first, with the names under which their transactions were committed.
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

    /// A baseline claims the names of the range, so its transactions were renamed for a fresh writer.
    private struct RenamedMeanwhile: Error {}

    /// Nil unless peers would reject the clock: it is ahead, and no published clock is close before it.
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
            // Transactions that a copy of the store has published cannot get other clocks.
            return
        }
        throw ExportFailure.clockAhead(by: ahead.wallTime.duration(since: wall))
    }

    /// A full folder takes only acknowledgements, which let other stores remove files, and a few exceptions.
    ///
    /// Without exceptions, an acknowledgement behind a change would never be exported. A segment that was begun while there
    /// was room is finished, so the folder may exceed its limit by a segment.
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

    /// Measures the folder only if a transaction waits, because the measurement is reused for a minute.
    func withheld() throws -> Int? {
        guard let room else { return nil }
        let count = try store.read { try $0.outbox.waitingCount() }
        return count > 0 && room.isFull ? count : nil
    }

    /// Forgets files that are gone.
    func takenNames() throws -> TakenNames { try TakenNames.remaining(of: store, in: LogFolder(path: logs)) }

    func isIdle() throws -> Bool {
        try store.read { try $0.outbox.unexported().isEmpty && $0.outbox.unfinishedExports().isEmpty }
    }

    /// The folder may be the mount point of an unmounted share: a file in it would never reach a peer.
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

    /// Also checks the clock in the same snapshot, because a transaction may have been saved since the export began.
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
                // Copies write equal bytes for transactions that their common writer has not published.
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

    /// Returns zero counts when the store has continued as a fresh writer instead.
    private func publish(_ range: ExportRange, isBegun: Bool) throws -> ImportCounts {
        let name = range.name
        let folder = try configuration.openLogs()
        // The folder may have been removed since the export began.
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
        // The key of the file is lost. The segment was published before, perhaps before the store was set back, so a
        // store that has the key has its transactions.
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

    private static let longestHeader: UInt64 = 64 << 10

    /// Pins the own key, so that a store that has lost this key still accepts the files that it signed.
    private func pinKey(_ transaction: WriteTransaction) throws {
        guard let key = key?.publicKey else { return }
        let reader = transaction.reader
        try PinnedKeys(reader).pin(key, to: reader.writers.own().store, at: wall)
    }

    /// Publishes a segment, or accepts a file of this name with the same transactions, such as a copy of the store writes.
    ///
    /// A file that is longer than the header and the own transactions is not read, so that an attempt costs no more than
    /// the own segment. The result is `locked` when the key for comparing the file is missing.
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
            // A later attempt begins the segment again. Files in temporary folders are gone then, and no longer prove
            // that the segment was never published.
            try store.write { try $0.giveUpExport(range) }
            guard let error = error as? RestampError else { throw error }
            throw ExportFailure.nameTaken(file: file, reason: "\(reason). \(error)")
        }
    }

    /// Also records the file, in the same SQLite transaction.
    private func reissue(_ range: ExportRange, _ taken: TakenNames.Entry) throws {
        let (wall, file) = (wall, "\(logs)/\(taken.path)")
        let reissued = try store.write { transaction in
            // An unproven store does not wait for the pause; the error keeps its present writer.
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

    /// Continues as a fresh writer if the log folder has later transactions of the present writer than the store.
    ///
    /// Unproven transactions, and transactions that a segment contains with the same content, keep their names.
    private func leavesClaimedWriter(_ range: ExportRange) throws -> Bool {
        let folder = try configuration.openLogs()
        // If the folder cannot be read, the export itself fails.
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

    /// The file with the last transactions that the store lacks; O(f + b) for f files of the writer and b baselines.
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
        // The position is read last, so that files that the store has published meanwhile are not after it.
        let own = try store.read { try $0.writers.own() }
        guard own.id == writer, last.sequence > own.sequence else { return nil }
        let claim = TakenNames.Claim(writer: writer, last: last.sequence)
        let reason = TakenNames.claimReason(writer, after: own.sequence)
        return TakenNames.Entry(since: wall, path: last.path, claim: claim, reason: reason)
    }
}

/// Syncs the WAL to the disk, whatever the connection's setting is; without a WAL, the store's file has everything.
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

package enum ExportFailure: Error, Hashable {
    /// The exports of this store would win over all other writers.
    case clockAhead(by: Duration)
    case cannotSync(path: String, code: Int32)
    /// The folder has no earlier export of this writer; `isCertain`: it is not the mount point of an unmounted share.
    case foreignFolder(path: String, writer: UniqueID, sequence: UInt64, isCertain: Bool = false)
    /// A segment cannot get another name now; `hasTransactions`: the file may be the store's own, from before a restore.
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

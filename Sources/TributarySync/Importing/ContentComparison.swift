import TransactionLog
import TributaryChanges
import TributaryStore

/// Compares a segment with the outbox and with the files of applied segments.
///
/// One (writer, sequence) has one content, whatever the bounds of the segments are.
struct ContentComparison {
    let store: Store
    let logs: LogFolder
    private(set) var ends = SegmentEnds()

    /// Bounds the memory.
    private static let step = 10_000

    /// Returns why the segment contradicts the applied transactions up to `last`; otherwise nil.
    ///
    /// Reads the segment once, and each applied segment that ``AppliedTransactions`` chooses twice.
    func contradiction(in file: some SegmentBytes, _ segment: VerifiedSegment, through last: UInt64) throws -> String? {
        let (name, sha256) = (segment.name, segment.end.sha256)
        let end = min(last, name.last)
        guard name.first <= end else { return nil }
        let (records, isSaved) = try store.read { reader in
            var records = try reader.writers.segments(writer: name.writer, overlapping: name.first, end)
            // All transactions of a partly applied segment up to the writer's position are applied.
            if let partial = try SyncRecords.partial(of: name.writer, reader), partial.name.first <= end {
                let (first, last) = (partial.name.first, partial.name.last)
                records.append(SegmentRecord(writer: name.writer, first: first, last: last, sha256: partial.sha256))
            }
            let saved = try reader.outbox.run(of: name.writer, from: name.first, through: end, bytes: 1)
            return (records, saved != nil)
        }
        guard !records.contains(where: { $0.sha256 == sha256 }), isSaved || !records.isEmpty else { return nil }
        var applied = AppliedTransactions(records, in: logs)
        let digests = TransactionDigests(file, try SegmentTail.read(file), writer: name.writer)
        var (saved, isWhole): ([UInt64: SHA256.Digest], Bool) = ([:], true)
        var isRead = name.first
        while let next = try digests.next(), next.sequence <= end {
            if isSaved, next.sequence >= isRead {
                isRead = next.sequence.addingSaturating(UInt64(ContentComparison.step))
                saved = try outgoing(of: name.writer, next.sequence, min(isRead - 1, end))
            }
            let known = try applied.digest(of: next.sequence)
            guard let (digest, source) = known ?? saved[next.sequence].map({ ($0, "this store's outbox") }) else {
                isWhole = false
                continue
            }
            guard digest != next.digest else { continue }
            return "Its transaction \(next.sequence) differs from the transaction in \(source), which was applied."
        }
        // The file has replaced the applied file.
        guard !isWhole, let record = records.first(where: { $0.first == name.first && $0.last == name.last }) else {
            return nil
        }
        return "Its hash is \(sha256), but the applied segment has the hash \(record.sha256)."
    }

    /// The store may have published these transactions before it was set back: then a segment of the log folder has them.
    func requireRestampable(after greatest: HybridClock) throws {
        let waiting = try store.read { try $0.writers.restampable(after: greatest) }
        for (writer, sequences) in waiting
        where try isPublished(sequences, of: writer, in: logs.fileNames(of: writer)) != false {
            throw RestampError.knownElsewhere(writer: writer, sequence: sequences.lowerBound - 1)
        }
    }

    /// Nil if only locked segments may have the transactions; reads each segment of the writer with one of them.
    func isPublished(
        _ sequences: ClosedRange<UInt64>,
        of writer: UniqueID,
        in fileNames: [String]
    ) throws -> Bool? {
        var isLocked = false
        for name in fileNames.compactMap({ SegmentName(writer: writer, fileName: $0) })
        where name.first <= sequences.upperBound && sequences.lowerBound <= name.last {
            do {
                let file = try logs.open(name)
                let segment = try SegmentVerifier().verify(file, name: name)
                if try contradiction(in: file, segment, through: sequences.upperBound) == nil { return true }
            } catch let error as SegmentError where error.isOfContent {
                isLocked = isLocked || error.kind == .locked
            }
        }
        return isLocked ? nil : false
    }

    /// Returns why the segment does not follow the applied segments; nil when it does, or when that is unknown.
    ///
    /// If other transactions with equal names never arrive in a file, this hash is their only trace. Nothing can be
    /// compared without a record of a segment that ends there, for example after a baseline. O(log n) for the writer's
    /// segments, and O(n) once when the hashes differ: see ``SegmentEnds``.
    mutating func brokenLink(from name: SegmentName, to previous: String?) throws -> String? {
        guard let previous, name.first > 1 else { return nil }
        let last = name.first - 1
        let records = try store.read { reader -> [SegmentRecord] in
            let before = try reader.writers.segment(writer: name.writer, beginningBy: last)
            guard let before, before.last != last || before.sha256 != previous else { return [] }
            // Two applied segments never end with the same transaction, because each has moved the position.
            if before.last == last { return [before] }
            return try reader.writers.segments(writer: name.writer, overlapping: last, last).filter { $0.last == last }
        }
        guard let applied = records.last, !records.contains(where: { $0.sha256 == previous }),
            try !ends.contain(previous, of: name.writer, endingWith: last, in: logs)
        else { return nil }
        return "It follows a segment that ends with transaction \(last) and has the hash \(previous). This store has "
            + "applied \(applied.name.path), which has the hash \(applied.sha256). The transactions in the two are "
            + "different, unless a copy of the writer's store has published the same ones in another file."
    }

    private func outgoing(of writer: UniqueID, _ first: UInt64, _ last: UInt64) throws -> [UInt64: SHA256.Digest] {
        try store.read { reader in
            var (found, next, hash): ([UInt64: SHA256.Digest], UInt64, SHA256) = ([:], first, SHA256())
            while let run = try reader.outbox.run(of: writer, from: next, through: last) {
                var sequence = run.lowerBound
                let range = ExportRange(writer: writer, first: sequence, last: run.upperBound, header: "")
                try reader.outbox.forEachPiece(of: range) { lines, changes in
                    hash.update(data: lines)
                    guard changes != nil else { return }
                    found[sequence] = hash.finalize()
                    (sequence, hash) = (sequence.addingSaturating(1), SHA256())
                }
                next = run.upperBound + 1
            }
            return found
        }
    }
}

/// The hashes of files by their last transaction; a folder is listed once, and each file is opened at most once.
struct SegmentEnds: Sendable {
    private var names: [UniqueID: [UInt64: [String]]] = [:]
    private var hashes: [SegmentName: Set<String>] = [:]

    /// Also finds a replicator's copy of a segment.
    mutating func contain(
        _ sha256: String,
        of writer: UniqueID,
        endingWith last: UInt64,
        in logs: LogFolder
    ) throws(SegmentError) -> Bool {
        let end = SegmentName(writer: writer, first: last, last: last)
        if let known = hashes[end] { return known.contains(sha256) }
        if names[writer] == nil { names[writer] = try SegmentEnds.names(of: writer, in: logs) }
        var found: Set<String> = []
        for fileName in names[writer]?[last] ?? [] {
            let tail = try readable { () throws(SegmentError) in
                try SegmentTail.read(logs.open(fileName: fileName, writer: writer))
            }
            if let tail { found.insert(tail.end.sha256) }
        }
        hashes[end] = found
        return found.contains(sha256)
    }

    private static func names(of writer: UniqueID, in logs: LogFolder) throws(SegmentError) -> [UInt64: [String]] {
        var found: [UInt64: [String]] = [:]
        for fileName in try logs.fileNames(of: writer) {
            switch SegmentFileKind.classify(fileName, writer: writer) {
            case .segment(let name), .conflictCopy(let name): found[name.last, default: []].append(fileName)
            default: continue
            }
        }
        return found
    }
}

/// The applied segments that overlap a range; transactions must be requested in ascending order.
///
/// If several segments contain a transaction, only the segment with the greatest last transaction is read.
private struct AppliedTransactions {
    private let logs: LogFolder
    /// In descending order.
    private var later: [SegmentRecord]
    /// The segment with the greatest last transaction is at the end.
    private var begun: [SegmentRecord] = []
    private var current: (digests: TransactionDigests, file: String)?

    init(_ records: [SegmentRecord], in logs: LogFolder) {
        self.logs = logs
        later = records.sorted { $0.first > $1.first }
    }

    /// Also returns the path of the file; nil when no file has the transaction any more.
    mutating func digest(of sequence: UInt64) throws(SegmentError) -> (SHA256.Digest, String)? {
        if let current, let digest = try current.digests.digest(of: sequence) { return (digest, current.file) }
        let count = begun.count
        while let next = later.last, next.first <= sequence { begun.append(later.removeLast()) }
        if begun.count > count { begun.sort { $0.last < $1.last } }
        while let furthest = begun.popLast(), furthest.last >= sequence {
            current = try open(furthest)
            if let current, let digest = try current.digests.digest(of: sequence) { return (digest, current.file) }
        }
        // The other segments end before this transaction, too.
        begun = []
        return nil
    }

    private func open(_ record: SegmentRecord) throws(SegmentError) -> (TransactionDigests, String)? {
        let name = record.name
        return try readable { () throws(SegmentError) in
            let file = try logs.open(name)
            let tail = try SegmentTail.read(file)
            guard tail.end.sha256 == record.sha256 else { return nil }
            // The file may have been damaged after it was applied.
            _ = try SegmentVerifier().verify(file, name: name)
            return (TransactionDigests(file, tail, writer: name.writer), name.path)
        } ?? nil
    }
}

/// Returns nil when the bytes are not a segment; errors of the system are thrown.
private func readable<T>(_ read: () throws(SegmentError) -> T) throws(SegmentError) -> T? {
    do {
        return try read()
    } catch {
        guard error.isPassing else { return nil }
        throw error
    }
}

/// Compares files at or below the position, and replicators' copies of such files, with the applied transactions.
///
/// If the end line has the applied hash, only the link to the preceding segment is compared. All bytes of an own segment
/// are also read as long as the outbox keeps its lines.
struct AppliedAudit {
    struct Finding: Sendable {
        var file: SegmentFile
        var reason: String?
        /// The key of the file is missing; it is compared once the key is there.
        var isLocked = false
        /// Whether a published segment of this store has other bytes now; nil when the file could not be read.
        var isDamaged: Bool? = false
    }

    let configuration: SyncConfiguration
    let store: Store
    let control: ImportControl

    /// Also returns hints for the files that could not be opened; `ends` has earlier findings in unchanged folders.
    @concurrent
    func compare(
        _ files: [SegmentFile],
        _ ends: SegmentEnds
    ) async -> (findings: [Finding], refused: FolderHints, ends: SegmentEnds) {
        var refused = FolderHints()
        var findings: [Finding] = []
        guard let logs = try? configuration.openLogs(),
            let exporters = try? store.read({ try Set($0.outbox.exporters()) })
        else {
            for file in files { refused.insert(file: file.id) }
            return ([], refused, ends)
        }
        var comparison = ContentComparison(store: store, logs: logs, ends: ends)
        for file in files {
            do {
                let isOwn = file.hasOwnName && exporters.contains(file.id.writer)
                findings.append(try finding(file, isOwn: isOwn, &comparison))
            } catch {
                if (error as? SegmentError)?.isPassing ?? true { refused.insert(file: file.id) }
                let isLocked = (error as? SegmentError)?.kind == .locked
                findings.append(Finding(file: file, isLocked: isLocked, isDamaged: nil))
            }
        }
        return (findings, refused, comparison.ends)
    }

    /// A file that was damaged after it was applied does not contradict: its transactions are in the store.
    ///
    /// Other machines may need an own segment, so all its bytes are read as long as the outbox has its lines.
    private func finding(
        _ file: SegmentFile,
        isOwn: Bool,
        _ comparison: inout ContentComparison
    ) throws -> Finding {
        let name = file.id
        // The log folder may hang, so a read of the store never reads from it.
        let bytes = MeteredBytes(try comparison.logs.open(fileName: file.fileName, writer: name.writer), control)
        let (record, isKept) = try store.read { reader in
            let record = try reader.writers.segment(writer: name.writer, name.first, name.last)
            let isKept =
                try isOwn && reader.outbox.firstKept(of: name.writer, from: name.first, through: name.last) != nil
            return (record, isKept)
        }
        let damaged = Finding(file: file, isDamaged: isOwn && record != nil)
        guard let tail = try readable({ () throws(SegmentError) in try SegmentTail.read(bytes) }) else {
            return damaged
        }
        func verified() throws -> VerifiedSegment? {
            try readable { () throws(SegmentError) in try SegmentVerifier().verify(bytes, name: name) }
        }
        var reason: String?
        if record?.sha256 == tail.end.sha256 {
            if isKept, try verified() == nil { return damaged }
            guard name.first > 1 else { return Finding(file: file) }
            let header = try readable { () throws(SegmentError) in try SegmentHeader.read(bytes) }
            reason = try comparison.brokenLink(from: name, to: header?.previous)
            guard reason != nil else { return Finding(file: file) }
        }
        guard let verified = try verified() else { return damaged }
        return Finding(
            file: file,
            reason: try reason ?? comparison.contradiction(in: bytes, verified, through: name.last)
        )
    }
}

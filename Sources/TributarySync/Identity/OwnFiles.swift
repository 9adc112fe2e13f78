import TransactionLog
import TributaryChanges
import TributaryStore

/// The files of the store's own writer in the log folder, compared with the store's records.
struct OwnFiles {
    /// The first valid file, in order, of which the store has no record.
    private(set) var unknown: String?
    /// Whether the folder has nothing of the writer, although the store has exported something.
    private(set) var areMissing = false
    /// Whether the store has exported something, or has begun to.
    private(set) var hasExported = false

    /// Compares the names in the writer's folder with the segments that the store has exported.
    ///
    /// A step for each file of the writer; only files without a record are read, up to the first valid one.
    init(in logs: LogFolder, _ reader: Reader) throws {
        let own = try reader.writers.own().id
        let records = try reader.writers.segments(writer: own)
        var known = Set(records.map { SegmentName(writer: own, first: $0.first, last: $0.last) })
        for range in try reader.outbox.unfinishedExports() {
            known.insert(SegmentName(writer: own, first: range.first, last: range.last))
        }
        let exported = records.last?.last ?? 0
        let fileNames = try logs.fileNames(of: own)
        hasExported = !known.isEmpty
        areMissing = exported > 0 && logs.lacksFolder(of: own)
        var segments: [SegmentName] = []
        var baselines: [BaselineName] = []
        for fileName in fileNames {
            switch SegmentFileKind.classify(fileName, writer: own) {
            case .segment(let name) where !known.contains(name): segments.append(name)
            case .baseline(let sequence) where sequence > exported:
                baselines.append(BaselineName(writer: own, sequence: sequence))
            default: break
            }
        }
        unknown = try OwnFiles.firstValid(segments.sorted(), logs)
        if unknown == nil { unknown = try OwnFiles.firstValid(baselines, logs) }
        if unknown == nil {
            let shelf = BaselineShelf(proofs: try BaselineProofs.load(reader))
            unknown = try OwnFiles.baselineOfOthers(past: reader.writers.own(), shelf, logs)
        }
    }

    /// A verified baseline, of whatever writers, with later transactions of the own one: its segments may be gone.
    ///
    /// One pass over the names in the log folder; of baselines the first lines are read, and more only where these name
    /// such a transaction.
    private static func baselineOfOthers(
        past own: WriterRecord,
        _ known: BaselineShelf,
        _ logs: LogFolder
    ) throws -> String? {
        let shelf = known.reading(try LogListing(path: logs.path).baselines, in: logs)
        guard shelf.baselines.values.contains(where: { $0.vector[own.id] > own.sequence }) else { return nil }
        return try shelf.provingAll(in: logs).verified.first { $0.vector[own.id] > own.sequence }?.name.path
    }

    private static func firstValid(_ segments: [SegmentName], _ logs: LogFolder) throws -> String? {
        try segments.first { name in
            try isValid { () throws(SegmentError) in _ = try SegmentVerifier().verify(logs.open(name), name: name) }
        }?.path
    }

    private static func firstValid(_ baselines: [BaselineName], _ logs: LogFolder) throws -> String? {
        try baselines.sorted { $0.sequence < $1.sequence }.first { name in
            try isValid { () throws(SegmentError) in
                _ = try VerifiedBaseline.verify(logs.open(fileName: name.fileName, writer: name.writer))
            }
        }?.path
    }

    /// Whether the file is valid; a file that another program may still be writing proves nothing.
    private static func isValid(_ verify: () throws(SegmentError) -> Void) throws(SegmentError) -> Bool {
        do {
            try verify()
            return true
        } catch {
            guard error.isOfContent else { throw error }
            return false
        }
    }
}

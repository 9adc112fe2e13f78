import TransactionLog
import TributaryChanges
import TributaryStore

/// One state of the store: its digest, and the segments that its positions come from.
struct CheckedState: Sendable {
    struct Writer: Sendable {
        var id: UniqueID
        var sequence: UInt64
        /// The segments that were applied or published as a whole, in order.
        var records: [SegmentRecord]
        /// The segment of which some transactions are applied.
        var partial: PartialRecord?
        /// The last transaction that came with a baseline, without its segment; 0 for none.
        var joined: UInt64 = 0
        var branches: [Branch] = []

        /// The hashes of all applied segments.
        var hashes: Set<String> { Set((records + branches.flatMap(\.records)).map(\.sha256)) }
    }

    /// A branch of a forked writer.
    struct Branch: Sendable {
        var record: WriterBranch
        var records: [SegmentRecord]
        /// The segment of which some transactions are applied.
        var partial: PartialRecord?
    }

    var own: UniqueID
    var digest: StoreDigest
    var writers: [Writer] = []
    private(set) var positions = BaselinePositions()
    /// The segments that are being exported.
    var unfinished: [SegmentName] = []
    /// The segment with the local transactions that are not exported, in the scratch folder.
    var tail: SegmentName?
    var unexported = 0

    /// Reads the state, and writes the local transactions that are not exported into `scratch`, as a segment.
    init(_ reader: Reader, scratch: String, progress: (Int64) -> Void) throws {
        let own = try reader.writers.own()
        self.own = own.id
        digest = try reader.mergeState.digest(progress: progress)
        for writer in try reader.writers.all() where writer.sequence > 0 {
            let partial = try reader.setting(StoreKeys.partial(writer.id))
            positions.vector[writer.id] = writer.reach
            positions.hashes[writer.id] = digest.vector[writer.id]?.hash
            if !writer.branches.isEmpty { positions.forks[writer.id] = try reader.baselineForks.fork(of: writer) }
            let ofBranches = writer.branches.isEmpty ? [] : try reader.writers.branchSegments(writer: writer.id)
            writers.append(
                Writer(
                    id: writer.id,
                    sequence: writer.sequence,
                    records: try reader.writers.segments(writer: writer.id),
                    partial: partial.flatMap { PartialRecord($0, writer: writer.id) },
                    joined: try JoinedPosition(of: writer.id, reader).sequence,
                    branches: try writer.branches.map { branch in
                        Branch(
                            record: branch,
                            records: ofBranches.filter { $0.branch == branch.firstHash },
                            partial: try SyncRecords.partial(of: writer.id, branch: branch.firstHash, reader)
                        )
                    }
                )
            )
        }
        unfinished = try reader.outbox.unfinishedExports().map {
            SegmentName(writer: own.id, first: $0.first, last: $0.last)
        }
        try stageTail(own, reader, scratch: scratch)
    }

    /// Writes the local transactions after the last exported one.
    private mutating func stageTail(_ own: WriterRecord, _ reader: Reader, scratch: String) throws {
        let exported = try reader.writers.segments(writer: own.id).last?.last ?? 0
        guard exported < own.sequence else { return }
        let name = SegmentName(writer: own.id, first: exported + 1, last: own.sequence)
        let header = SegmentHeader(writer: own.id, first: name.first, last: name.last)
        var count = 0
        _ = try SegmentPublisher(LogFolder(path: scratch)).publish(name, header: header.line) { file in
            try reader.outbox.forEachPiece(from: name.first, through: name.last) { lines, changes in
                try file.append(lines: lines, changes: changes)
                if changes != nil { count += 1 }
            }
        }
        tail = name
        unexported = count
    }
}

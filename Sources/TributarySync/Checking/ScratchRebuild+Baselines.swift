import TransactionLog
import TributaryChanges
import TributaryStore

extension ScratchRebuild {
    /// Makes writers known, so that what they have seen of each other is kept in any order.
    ///
    /// - Throws: ``StoreError``.
    func register(_ writers: [UniqueID]) throws {
        try store.write { try WriterRegistration($0).register(writers) }
    }

    /// Begins with a baseline, whose bytes are verified first.
    ///
    /// - Throws: ``SegmentError`` when it is not the expected one, or a large value is missing;
    ///   ``BaselineJoinError``, ``StoreError``.
    func join(_ baseline: KnownBaseline, logs: LogFolder) throws {
        let file = try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer)
        let verified = try VerifiedBaseline.verify(file)
        guard verified.end.sha256 == baseline.sha256 else {
            throw SegmentError(.changed, file: file.file, reason: "the baseline was replaced by another one")
        }
        let blobs = BaselineBlobs(logs: logs, writers: verified.writers.map(\.id))
        let reader = BaselineReader(file, verified)
        _ = try store.write { transaction in
            try transaction.setBlobSource { sha256, size, receive in
                let writer = try blobs.holder(of: sha256, size: size)
                try BlobReader(logs: logs, writer: writer).read(sha256, size: size, receive)
            }
            let before = try PositionsBeforeJoin(transaction)
            let joined = try transaction.joinBaseline(
                verified.header,
                writers: verified.writers,
                transactionCount: verified.end.counts.transactions
            ) { try reader.next() }
            // Segments of forked writers are placed after those that the baseline stands for.
            if joined != nil { try before.recordJoined(verified.writers, in: transaction) }
            return joined?.number
        }
    }

    /// Whether a segment was merged, or has come with a baseline that names it.
    func hasSegment(_ name: SegmentName, sha256: String) throws -> Bool {
        try store.read { reader in
            try reader.writers.segments(writer: name.writer, beginningWith: name.first).contains { $0.sha256 == sha256 }
        }
    }

    /// Merges a segment of a forked writer into the line of the log that it follows, and records it.
    ///
    /// - Throws: ``SegmentError`` when the bytes are not the verified ones, and `rejected` when it follows none;
    ///   ``StoreError``.
    func mergePlaced(_ segment: VerifiedSegment, _ bytes: some SegmentBytes, through last: UInt64) throws {
        let name = segment.name
        let (sha256, previous) = (segment.end.sha256, segment.header.previous)
        let place = try store.read { reader in
            let neighbours = try WriterLines.Neighbours(of: name, reader)
            return try WriterLines(of: name.writer, reader)
                .place(name.bounds, sha256: sha256, previous: previous, neighbours)
        }
        var branch: WriterBranch?
        switch place {
        case .applied: return
        case .next(let line, let after): branch = line.isEmpty ? nil : WriterBranch(firstHash: line, start: after)
        case .start(let after): branch = WriterBranch(firstHash: sha256, start: after)
        case .waiting, .tooMany:
            let reason = "it follows none of the segments of its writer that were merged"
            throw SegmentError(.rejected, file: segment.file, writer: name.writer, reason: reason)
        }
        try merge(segment, bytes, through: last, branch: branch)
        guard last == name.last else { return }
        let record = SegmentRecord(
            writer: name.writer,
            first: name.first,
            last: name.last,
            sha256: sha256,
            branch: branch?.firstHash ?? "",
            previous: previous ?? ""
        )
        try store.write { _ = try $0.recordSegment(record, name: nil) }
    }

    /// Records a merged segment, from whose end the next one follows.
    func record(_ segment: VerifiedSegment) throws {
        let record = SegmentRecord(
            writer: segment.name.writer,
            first: segment.name.first,
            last: segment.name.last,
            sha256: segment.end.sha256,
            previous: segment.header.previous ?? ""
        )
        try store.write { _ = try $0.recordSegment(record, name: nil) }
    }
}

import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

/// A stage of the import for forked writers: reads the files of branches, finds their places, and applies them.
///
/// Only one loop may use it.
struct BranchStage {
    struct Finding: Sendable {
        var file: SegmentFile
        var identity: FileIdentity?
        var outcome: VerificationOutcome
        var place: BranchPlace?
    }

    let environment: SyncEnvironment
    let state: SyncStateOwner
    let importer: Importer
    /// The segment that was read last: a large one is applied in several batches.
    private var last: (file: SegmentFile, identity: FileIdentity, segment: VerifiedSegment)?

    init(environment: SyncEnvironment, state: SyncStateOwner, importer: Importer) {
        self.environment = environment
        self.state = state
        self.importer = importer
    }

    // MARK: Examining

    /// Reads the files that have not been read, and looks up the places of valid segments.
    mutating func examine(_ files: [BranchExaminee]) async throws {
        var found: [Finding] = []
        for examinee in files {
            var finding = Finding(
                file: examinee.file,
                identity: examinee.identity,
                outcome: examinee.outline.map(VerificationOutcome.valid) ?? .changed
            )
            if examinee.outline == nil { finding = await read(examinee.file) }
            if case .valid(let outline) = finding.outcome {
                finding.place = try place(examinee.file.id, outline)
            }
            found.append(finding)
        }
        let wall = environment.wall
        let results = found
        state.update { state in
            for result in results { state.examined(result, wall: wall) }
        }
    }

    private mutating func read(_ file: SegmentFile) async -> Finding {
        let (configuration, planner) = state.read { ($0.configuration, $0.planner) }
        let verification = SegmentVerification(queue: importer.queue, control: importer.control)
        let positions = planner.positions.merging(planner.branches.reaches.mapValues { WriterPosition(sequence: $0) }) {
            $0.sequence < $1.sequence ? $1 : $0
        }
        let result = await verification.verify(file, configuration: configuration, positions: positions)
        if let segment = result.verified, let identity = result.identity { last = (file, identity, segment) }
        return Finding(file: file, identity: result.identity, outcome: result.outcome)
    }

    private func place(_ id: SegmentName, _ outline: SegmentOutline) throws -> BranchPlace {
        try environment.store.read { reader in
            let lines = try WriterLines(of: id.writer, reader)
            let neighbours = try WriterLines.Neighbours(of: id, reader)
            return lines.place(id.bounds, sha256: outline.sha256, previous: outline.previous, neighbours)
        }
    }

    // MARK: Applying

    /// Applies a segment as far as one batch goes.
    ///
    /// - Returns: The progress; nil when the file is not the one that was examined, which is examined again.
    /// - Throws: ``SegmentFailure`` when the bytes have changed; what the store throws.
    mutating func apply(_ run: BranchRun) async throws -> ImportBatch.Outcome? {
        if last?.file != run.file || last?.segment.end.sha256 != run.segment.sha256 {
            let finding = await read(run.file)
            guard case .valid(let outline) = finding.outcome, outline.sha256 == run.segment.sha256 else {
                let wall = environment.wall
                state.update { $0.examined(finding, wall: wall) }
                return nil
            }
        }
        guard let segment = last?.segment else { return nil }
        let item = ImportBatch.Item(name: run.file.id, fileName: run.file.fileName, segment: segment)
        let outcome = try await importer.apply([item], to: run.target)
        if run.target.begins, outcome.counts.transactions > 0 {
            environment.logger.error(
                "two programs write as one writer: a branch of its log is applied",
                metadata: [
                    "writer": "\(run.file.id.writer)", "segment": "\(run.file.path)", "after": "\(run.target.after)",
                    "sha256": "\(run.segment.sha256)",
                ]
            )
        }
        return outcome
    }
}

import TransactionLog
package import TributaryChanges
import TributaryStore

/// A stage of the import: reads whole segments and classifies them.
struct SegmentVerification: Sendable {
    struct Result: Sendable {
        var segment: WriterListing.Pending
        var outcome: VerificationOutcome
        var verified: VerifiedSegment?
    }

    let queue: SerialQueue
    let control: ImportControl
    let store: Store

    /// Reads the segments one after the other, and keeps the content of some, of at most `keptBytes` together.
    func verify(
        _ segments: [WriterListing.Pending],
        configuration: SyncConfiguration,
        positions: [UniqueID: WriterPosition],
        keptBytes: UInt64 = 0
    ) async -> [Result] {
        await queue.run {
            var verifier = SegmentVerifier(sliceChanges: configuration.sliceChanges, keptBytes: keptBytes)
            return segments.map { segment in
                defer { control.step() }
                do throws(SegmentError) {
                    let result = try examine(segment, verifier, configuration, positions)
                    if let kept = result.verified, !kept.batches.isEmpty { verifier.keptBytes -= kept.fileSize }
                    return result
                } catch {
                    return Result(segment: segment, outcome: VerificationOutcome(error))
                }
            }
        }
    }

    private func examine(
        _ pending: WriterListing.Pending,
        _ verifier: SegmentVerifier,
        _ configuration: SyncConfiguration,
        _ positions: [UniqueID: WriterPosition]
    ) throws(SegmentError) -> Result {
        let logs = try LogFolder(path: configuration.logs)
        let file = try logs.open(pending.id)
        guard FileIdentity(try FileAttributes(of: file)) == pending.file else {
            return Result(segment: pending, outcome: .changed)
        }
        let position = positions[pending.id.writer] ?? WriterPosition()
        var (summary, segment) = try verified(file, pending.id, after: position.sequence, logs, verifier, positions)
        if !position.isCompared(pending.id.bounds, summary) {
            if let reason = try contradiction(file, pending.id, through: position.sequence, logs) {
                return Result(segment: pending, outcome: .forked(reason: reason))
            }
            summary.comparedThrough = position.sequence
        }
        return Result(segment: pending, outcome: .valid(summary), verified: segment)
    }

    private func contradiction(
        _ file: OpenFile,
        _ name: SegmentName,
        through last: UInt64,
        _ logs: LogFolder
    ) throws(SegmentError) -> String? {
        let bytes = MeteredBytes(file, control)
        let tail = try SegmentTail.read(bytes)
        do {
            return try ContentComparison(store: store, logs: logs).contradiction(
                in: bytes,
                tail,
                of: name,
                through: last
            )
        } catch {
            throw error as? SegmentError ?? SegmentError(.changed, file: file.file, reason: String(describing: error))
        }
    }

    private func verified(
        _ file: OpenFile,
        _ name: SegmentName,
        after position: UInt64,
        _ logs: LogFolder,
        _ verifier: SegmentVerifier,
        _ positions: [UniqueID: WriterPosition]
    ) throws(SegmentError) -> (SegmentSummary, VerifiedSegment) {
        let bytes = MeteredBytes(file, control)
        let segment = try verifier.verify(bytes, name: name, dependenciesAfter: position)
        let blobs: BlobSearch.Finding
        do { blobs = try BlobSearch(logs: logs).find(in: segment, file: bytes) } catch {
            throw error as? SegmentError ?? SegmentError(.changed, file: file.file, reason: String(describing: error))
        }
        return (summary(segment, blobs: blobs, positions: positions), segment)
    }

    private func summary(
        _ segment: VerifiedSegment,
        blobs: BlobSearch.Finding,
        positions: [UniqueID: WriterPosition]
    ) -> SegmentSummary {
        let unmet = segment.dependencies.lazy.compactMap { dependency -> SegmentSummary.UnmetDependencies? in
            let needs = dependency.seen.filter { (positions[$0.key]?.sequence ?? 0) < $0.value }
            return needs.isEmpty ? nil : SegmentSummary.UnmetDependencies(sequence: dependency.sequence, needs: needs)
        }.first
        var summary = SegmentSummary(
            sha256: segment.end.sha256,
            name: segment.header.name,
            transactions: Int(clamping: segment.end.transactions),
            changes: Int(clamping: segment.end.changes),
            lastClock: segment.greatestClock,
            missingBlobs: blobs.missing,
            unmet: unmet
        )
        summary.blobFault = blobs.fault
        summary.after = segment.header.incarnation.after
        return summary
    }
}

package enum VerificationOutcome: Hashable, Sendable {
    case valid(SegmentSummary)
    /// The segment has no valid end line; its file may still be growing.
    case incomplete(reason: String, line: Int?)
    /// The bytes differ from those that the writer wrote.
    case damaged(reason: String, line: Int?)
    case rejected(reason: String, line: Int?)
    /// What is applied of the same transactions is other content.
    case forked(reason: String)
    /// The file is not a regular file, or may not be read.
    case unreadable(reason: String)
    case changed
}

extension VerificationOutcome {
    init(_ error: SegmentError) {
        let text = error.reason.prefix(1).uppercased() + error.reason.dropFirst()
        let reason = text.isEmpty || text.hasSuffix(".") ? text : text + "."
        switch error.kind {
        case .incomplete: self = .incomplete(reason: reason, line: error.line)
        case .damaged: self = .damaged(reason: reason, line: error.line)
        case .rejected, .forked: self = .rejected(reason: reason, line: error.line)
        case .changed, .missing: self = .changed
        case .inputOutput: self = .unreadable(reason: reason)
        }
    }
}

/// The facts about a segment whose bytes have all been verified.
package struct SegmentSummary: Hashable, Sendable {
    package var sha256: String
    package var name: String?
    package var transactions: Int
    package var changes: Int
    /// The clock of the last transaction, which is the greatest, because the clocks of a writer grow.
    package var lastClock: HybridClock
    /// The blobs that the segment names and that are missing.
    package var missingBlobs: [String] = []
    /// A fault in the size of one of them; nil for none.
    package var blobFault: BlobFault?
    /// The first transaction whose dependencies were unmet when the segment was verified.
    package var unmet: UnmetDependencies?
    /// What the writer follows, which is to be applied before its first transaction; nil for none.
    package var after: Incarnation.Predecessor?
    /// The last transaction up to which the segment was compared with what was applied; 0 for none.
    package var comparedThrough: UInt64 = 0

    /// A transaction with the transactions of other writers that must be applied before it.
    package struct UnmetDependencies: Hashable, Sendable {
        package var sequence: UInt64
        package var needs: [UniqueID: UInt64]
    }
}

/// A cache of the newest verified segments until they are applied, with at least `limit` and at most twice as many.
struct VerifiedSegments {
    struct Known {
        var file: FileIdentity
        var segment: VerifiedSegment
    }

    let limit: Int
    private(set) var newer: [SegmentName: Known] = [:]
    private(set) var older: [SegmentName: Known] = [:]

    mutating func insert(_ segment: VerifiedSegment, file: FileIdentity) {
        if newer.count >= limit { (older, newer) = (newer, [:]) }
        newer[segment.name] = Known(file: file, segment: segment)
    }

    /// The segment, if exactly this file was verified.
    private func segment(_ name: SegmentName, file: FileIdentity) -> VerifiedSegment? {
        guard let known = newer[name] ?? older[name], known.file == file else { return nil }
        return known.segment
    }

    /// The verified segments of the runs.
    ///
    /// - Returns: The segments to apply, and those that are not in the cache any more and must be verified again;
    ///   segments of the same writer after such a segment are left out.
    func items(of runs: [ImportPlanner.Run]) -> (known: [ImportBatch.Item], forgotten: [SegmentName]) {
        var items: [ImportBatch.Item] = []
        var forgotten: [SegmentName] = []
        var stopped: Set<UniqueID> = []
        for run in runs {
            guard let segment = segment(run.id, file: run.file), segment.end.sha256 == run.segment.sha256 else {
                forgotten.append(run.id)
                stopped.insert(run.id.writer)
                continue
            }
            guard !stopped.contains(run.id.writer) else { continue }
            items.append(ImportBatch.Item(name: run.id, segment: segment))
        }
        return (items, forgotten)
    }

    mutating func remove(_ names: [SegmentName]) {
        for name in names {
            newer[name] = nil
            older[name] = nil
        }
    }
}

import TransactionLog
package import TributaryChanges
import TributaryStore

struct SegmentVerification: Sendable {
    struct Verified: Sendable {
        var segment: WriterListing.Pending
        var result: VerificationResult
        var content: VerifiedSegment?
    }

    let queue: SerialQueue
    let control: ImportControl
    let environment: SyncEnvironment

    /// Keeps the content of some segments, at most `keptBytes` together.
    func verify(
        _ segments: [WriterListing.Pending],
        configuration: SyncConfiguration,
        positions: [UniqueID: WriterPosition],
        keptBytes: UInt64 = 0
    ) async -> [Verified] {
        await queue.run {
            var verifier = SegmentVerifier(sliceChanges: configuration.sliceChanges, keptBytes: keptBytes)
            return segments.map { segment in
                defer { control.step() }
                do throws(SegmentError) {
                    let logs = try configuration.openLogs()
                    let verified = try examine(segment, in: logs, verifier, positions)
                    if let kept = verified.content, !kept.batches.isEmpty { verifier.keptBytes -= kept.fileSize }
                    return verified
                } catch {
                    return Verified(segment: segment, result: VerificationResult(error))
                }
            }
        }
    }

    private func examine(
        _ pending: WriterListing.Pending,
        in logs: LogFolder,
        _ verifier: SegmentVerifier,
        _ positions: [UniqueID: WriterPosition]
    ) throws(SegmentError) -> Verified {
        let (name, file) = (pending.id, try logs.open(pending.id))
        guard FileIdentity(try FileAttributes(of: file)) == pending.file else {
            return Verified(segment: pending, result: .changed)
        }
        let bytes = MeteredBytes(file, control)
        let position = positions[name.writer] ?? WriterPosition()
        let (store, trust) = (environment.store, environment.trust)
        do {
            let segment = try verifier.verify(bytes, name: name, dependenciesAfter: position.sequence)
            let blobs = try BlobSearch(logs: logs).find(in: segment, file: bytes)
            var summary = SegmentSummary(segment, blobs, positions)
            if trust.mode == .known {
                let admission = try store.read { try trust.admission(of: segment, $0) }
                (summary.isAuthorClaimed, summary.untrusted) = (admission.isClaimed, admission.refusal)
            }
            if !position.isCompared(name.bounds, sha256: summary.sha256, through: summary.comparedThrough) {
                let comparison = ContentComparison(store: store, logs: logs)
                let last = position.sequence
                if let reason = try comparison.contradiction(in: bytes, segment, through: last) {
                    return Verified(segment: pending, result: .bad(.forked, reason: reason, line: nil))
                }
                summary.comparedThrough = last
            }
            return Verified(segment: pending, result: .valid(summary), content: segment)
        } catch {
            throw error as? SegmentError ?? SegmentError(.changed, file: file.file, reason: String(describing: error))
        }
    }
}

package enum VerificationResult: Hashable, Sendable {
    case valid(SegmentSummary)
    case incomplete(reason: String, line: Int?)
    case bad(SegmentState, reason: String, line: Int?)
    case unreadable(reason: String)
    case changed

    init(_ error: SegmentError) {
        let text = error.reason.prefix(1).uppercased() + error.reason.dropFirst()
        let reason = text.isEmpty || text.hasSuffix(".") ? text : text + "."
        switch error.kind {
        case .incomplete: self = .incomplete(reason: reason, line: error.line)
        case .damaged: self = .bad(.damaged, reason: reason, line: error.line)
        case .rejected, .forked: self = .bad(.rejected, reason: reason, line: error.line)
        case .locked: self = .bad(.held, reason: reason, line: error.line)
        case .changed, .missing: self = .changed
        case .inputOutput: self = .unreadable(reason: reason)
        }
    }
}

package struct SegmentSummary: Hashable, Sendable {
    package var sha256: String
    package var name: String?
    package var transactions: Int
    package var changes: Int
    /// The greatest clock, because the clocks of a writer grow.
    package var lastClock: HybridClock
    package var missingBlobs: [String] = []
    package var blobFault: BlobFault?
    package var unmet: UnmetDependencies?
    /// The former writer of the same store, which must be applied first.
    package var after: Incarnation.Predecessor?
    /// The segment was compared with the applied transactions up to this transaction; 0 for none.
    package var comparedThrough: UInt64 = 0
    package var untrusted: UntrustedFile?
    /// Only the segment itself names its store: no transaction of its writer was applied when it was read.
    package var isAuthorClaimed = false

    package struct UnmetDependencies: Hashable, Sendable {
        package var sequence: UInt64
        package var needs: [UniqueID: UInt64]
    }
}

extension SegmentSummary {
    init(_ segment: VerifiedSegment, _ blobs: BlobSearch.Finding, _ positions: [UniqueID: WriterPosition]) {
        let unmet = segment.dependencies.lazy.compactMap { dependency -> UnmetDependencies? in
            let needs = dependency.seen.filter { (positions[$0.key]?.sequence ?? 0) < $0.value }
            return needs.isEmpty ? nil : UnmetDependencies(sequence: dependency.sequence, needs: needs)
        }
        self.init(
            sha256: segment.end.sha256,
            name: segment.header.name,
            transactions: Int(clamping: segment.end.transactions),
            changes: Int(clamping: segment.end.changes),
            lastClock: segment.greatestClock,
            missingBlobs: blobs.missing,
            blobFault: blobs.fault,
            unmet: unmet.first,
            after: segment.header.incarnation.after
        )
    }
}

/// A cache of the newest verified segments until they are applied; it keeps at least `limit` and at most twice as many.
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

    private func segment(_ name: SegmentName, file: FileIdentity) -> VerifiedSegment? {
        guard let known = newer[name] ?? older[name], known.file == file else { return nil }
        return known.segment
    }

    /// Forgotten segments must be verified again; later segments of the same writers are left out.
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
            let compared = run.segment.comparedThrough
            items.append(ImportBatch.Item(name: run.id, segment: segment, comparedThrough: compared))
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

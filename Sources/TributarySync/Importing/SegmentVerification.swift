import TransactionLog
import TributaryChanges
import TributaryStore

/// A stage of the import: reads whole segments and classifies them.
struct SegmentVerification: Sendable {
    /// The result of reading one segment.
    struct Result: Sendable {
        var segment: WriterListing.Pending
        var outcome: VerificationOutcome
        /// The information that applying a valid segment needs.
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
        var (outline, segment) = try verified(file, pending.id, after: position.sequence, logs, verifier, positions)
        if !position.isCompared(pending.id.bounds, outline) {
            if let reason = try contradiction(file, pending.id, through: position.sequence, logs) {
                return Result(segment: pending, outcome: .forked(reason: reason))
            }
            outline.comparedThrough = position.sequence
        }
        return Result(segment: pending, outcome: .valid(outline), verified: segment)
    }

    /// Why a segment that goes on from what is applied contradicts that; nil when it does not.
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

    /// Verifies an open file.
    private func verified(
        _ file: OpenFile,
        _ name: SegmentName,
        after position: UInt64,
        _ logs: LogFolder,
        _ verifier: SegmentVerifier,
        _ positions: [UniqueID: WriterPosition]
    ) throws(SegmentError) -> (SegmentOutline, VerifiedSegment) {
        let bytes = MeteredBytes(file, control)
        let segment = try verifier.verify(bytes, name: name, dependenciesAfter: position)
        let blobs: BlobSearch.Finding
        do { blobs = try BlobSearch(logs: logs).find(in: segment, file: bytes) } catch {
            throw error as? SegmentError ?? SegmentError(.changed, file: file.file, reason: String(describing: error))
        }
        return (outline(segment, blobs: blobs, positions: positions), segment)
    }

    private func outline(
        _ segment: VerifiedSegment,
        blobs: BlobSearch.Finding,
        positions: [UniqueID: WriterPosition]
    ) -> SegmentOutline {
        let unmet = segment.dependencies.lazy.compactMap { dependency -> SegmentOutline.UnmetDependencies? in
            let needs = dependency.seen.filter { (positions[$0.key]?.sequence ?? 0) < $0.value }
            return needs.isEmpty ? nil : SegmentOutline.UnmetDependencies(sequence: dependency.sequence, needs: needs)
        }.first
        var outline = SegmentOutline(
            sha256: segment.end.sha256,
            name: segment.header.name,
            transactions: Int(clamping: segment.end.transactions),
            changes: Int(clamping: segment.end.changes),
            lastClock: segment.greatestClock,
            missingBlobs: blobs.missing,
            unmet: unmet
        )
        outline.blobFault = blobs.fault
        outline.after = segment.header.incarnation.after
        return outline
    }
}

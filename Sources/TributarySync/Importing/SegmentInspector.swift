import Glibc
import TransactionLog
import TributaryChanges

/// Reads whole segments and classifies them.
struct SegmentInspector: Sendable {
    let path: String
    let sliceChanges: Int
    let control: ImportControl

    /// The outcome, with the facts that applying a valid segment needs.
    func inspect(
        _ pending: WriterListing.Pending,
        positions: [UniqueID: WriterPosition]
    ) -> (VerificationOutcome, VerifiedSegment?) {
        defer { control.step() }
        do throws(SegmentError) {
            let logs = try LogFolder(path: path)
            let file = try logs.open(pending.id)
            guard try identity(of: file) == pending.file else { return (.changed, nil) }
            let position = positions[pending.id.writer]?.sequence ?? 0
            let verifier = SegmentVerifier(sliceChanges: sliceChanges)
            let bytes = MeteredBytes(file, control)
            let segment = try verifier.verify(bytes, name: pending.id, dependenciesAfter: position)
            let blobs: [String]
            do { blobs = try BlobSearch(logs: logs).missing(in: segment, file: bytes) } catch {
                throw error as? SegmentError
                    ?? SegmentError(.changed, file: file.file, reason: String(describing: error))
            }
            return (.valid(outline(segment, blobs: blobs, positions: positions)), segment)
        } catch {
            return (SegmentInspector.outcome(error), nil)
        }
    }

    private func outline(
        _ segment: VerifiedSegment,
        blobs: [String],
        positions: [UniqueID: WriterPosition]
    ) -> SegmentOutline {
        let unmet = segment.dependencies.lazy.compactMap { dependency -> SegmentOutline.UnmetDependencies? in
            let needs = dependency.seen.filter { (positions[$0.key]?.sequence ?? 0) < $0.value }
            return needs.isEmpty ? nil : SegmentOutline.UnmetDependencies(sequence: dependency.sequence, needs: needs)
        }.first
        return SegmentOutline(
            sha256: segment.end.sha256,
            previous: segment.header.previous,
            transactions: Int(clamping: segment.end.transactions),
            changes: Int(clamping: segment.end.changes),
            lastClock: segment.greatestClock,
            missingBlobs: blobs,
            unmet: unmet
        )
    }

    static func outcome(_ error: SegmentError) -> VerificationOutcome {
        let reason = sentence(error.reason)
        switch error.kind {
        case .incomplete: return .incomplete(reason: reason, line: error.line)
        case .damaged: return .damaged(reason: reason, line: error.line)
        case .rejected, .forked: return .rejected(reason: reason, line: error.line)
        case .changed, .missing: return .changed
        case .inputOutput: return .unreadable(reason: reason)
        }
    }

    private static func sentence(_ reason: String) -> String {
        guard let first = reason.first else { return reason }
        return first.uppercased() + reason.dropFirst() + (reason.hasSuffix(".") ? "" : ".")
    }

    private func identity(of file: OpenFile) throws(SegmentError) -> FileIdentity {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw SegmentError(.inputOutput(errno), file: file.file, reason: "cannot examine the file")
        }
        return FileIdentity(status)
    }
}

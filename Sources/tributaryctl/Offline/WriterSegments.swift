import Glibc
import TransactionLog
import TributaryChanges

/// The segments of a writer in the log folder, after which the next one continues.
struct WriterSegments {
    let next: UInt64
    let previous: String?
    let clock: HybridClock

    init(of writer: UniqueID, in logs: LogFolder) throws(SegmentError) {
        var last: SegmentName?
        var baseline: UInt64 = 0
        for file in try logs.fileNames(of: writer) {
            switch SegmentFileKind.classify(file, writer: writer) {
            case .segment(let name): if name.last > last?.last ?? 0 { last = name }
            case .baseline(let sequence): baseline = max(baseline, sequence)
            case .comparison, .conflictCopy, .misnamed, .ignored: break
            }
        }
        guard let last else {
            next = baseline.addingSaturating(1)
            previous = nil
            clock = .zero
            return
        }
        let segment = try SegmentVerifier().verify(try logs.open(last), name: last)
        next = max(last.last, baseline).addingSaturating(1)
        previous = segment.end.sha256
        clock = segment.greatestClock
    }
}

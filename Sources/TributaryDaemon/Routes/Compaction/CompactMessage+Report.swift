import TransactionLog
import TributaryAdmin
import TributarySync

extension CompactMessage {
    init(_ report: CompactionReport) {
        self.init(
            dryRun: report.isDryRun,
            baseline: Step(report.cut),
            verification: Step(report.verification)
        )
        baselines = report.baselines.map { baseline in
            Baseline(
                file: baseline.name.path,
                bytes: baseline.bytes,
                verified: baseline.isVerified,
                detail: baseline.detail
            )
        }
        removedSegments = report.removedSegments
        removedBytes = report.removedBytes
        removedBaselines = report.removedBaselines.map(\.path)
        remaining = report.remaining.map { Segment(file: $0.name.path, bytes: $0.bytes, waitsFor: $0.waits) }
        remainingSegments = report.remainingCount
        remainingBytes = report.remainingBytes
    }
}

extension CompactMessage.Step {
    fileprivate init(_ cut: CompactionReport.Cut) {
        switch cut {
        case .cut(let name, _): self.init(result: "cut", file: name.path)
        case .done(let name, true): self.init(result: "exists", file: name.path)
        case .done(let name, false):
            self.init(result: "exists", file: name.path, detail: "No store has endorsed it yet.")
        case .waits(let reason): self.init(result: "waits", detail: reason)
        }
    }

    fileprivate init(_ verification: CompactionReport.Verification) {
        switch verification {
        case .verified(let name): self.init(result: "verified", file: name.path)
        case .differs(let name):
            self.init(
                result: "differs",
                file: name.path,
                detail: "This store has another state for the same transactions."
            )
        case .waits(let name, let reason): self.init(result: "waits", file: name.path, detail: reason)
        case .nothing: self.init(result: "nothing")
        }
    }
}

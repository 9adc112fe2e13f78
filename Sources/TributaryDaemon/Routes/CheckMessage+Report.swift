import Foundation
import TributaryAdmin
import TributaryChanges
import TributarySync

extension CheckMessage {
    init(_ report: CheckReport) {
        self.init(comparison: Comparison(report.comparison))
        ok = report.problemCount == 0
        problems = report.problems.map { problem in
            Problem(
                code: problem.code.rawValue,
                detail: problem.detail,
                file: problem.file,
                writer: problem.writer?.description,
                hint: problem.hint
            )
        }
        problemCount = report.problemCount
        repairs = report.repairs
        segments = report.segments
        unapplied = report.unapplied
        values = report.values
        unexported = report.unexported
    }
}

extension CheckMessage.Comparison {
    fileprivate init(_ comparison: CheckReport.Comparison) {
        switch comparison {
        case .equal(let digest):
            self.init(result: "equal")
            self.digest = digest
            rebuilt = digest
        case .different(let digest, let rebuilt):
            self.init(result: "different")
            self.digest = digest
            self.rebuilt = rebuilt
        case .impossible(let reason, let detail):
            self.init(result: "impossible")
            self.reason = reason.rawValue
            self.detail = detail
        }
    }
}

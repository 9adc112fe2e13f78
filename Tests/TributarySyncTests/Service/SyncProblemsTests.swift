import Glibc
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributarySync

@Suite struct SyncProblemsTests {
    private let own = UniqueID(high: 1, low: 1)

    @Test func aProblemThatIsRaisedAgainKeepsItsTime() {
        var problems = SyncProblems()
        problems.raise(.watchLimit(since: 5))
        problems.raise(.watchLimit(since: 9))
        #expect(problems.all.map(\.since) == [5])
        #expect(problems.contains(.watchLimit) && !problems.contains(.watchFailed))
        problems.end(.watchFailed, .watchLimit)
        #expect(problems.all.isEmpty)
        problems.raise(.watchLimit(since: 11))
        #expect(problems.all.map(\.since) == [11])
    }

    @Test func eachFailureOfAnExportHasItsCode() {
        let failures: [(any Error, Problem.Code)] = [
            (ExportFailure.clockAhead(by: .milliseconds(90_000)), .ownClockAhead),
            (ExportFailure.foreignFolder(path: "/l", writer: own, sequence: 3), .logsMissing),
            (ExportFailure.cannotSync(path: "/s", code: EIO), .exportFailed),
            (ExportFailure.nameTaken(file: "/l/w/1.tlog", reason: "r."), .exportFailed),
            (SegmentError(.inputOutput(EIO), file: "w/1.tlog", reason: "r"), .exportFailed),
        ]
        for (failure, code) in failures {
            let problem = Problem.exportFailed(failure, logs: "/l", since: 7)
            #expect(problem.code == code && problem.since == 7 && problem.hint?.isEmpty == false, "\(failure)")
        }
    }

    @Test func aPauseIsRememberedAsItsText() {
        for pause in [ImportPause(since: 17, until: nil), ImportPause(since: 17, until: 42)] {
            #expect(ImportPause(pause.text) == pause)
        }
        #expect(ImportPause(since: 17, until: nil).text == "17 -" && ImportPause(since: 17, until: 42).text == "17 42")
        for text in ["", "17", "x 42", "17 42 1"] { #expect(ImportPause(text) == nil) }
        let pause = ImportPause(since: 17, until: 42)
        #expect(
            !pause.isOver(at: 41) && pause.isOver(at: 42)
                && !ImportPause(since: 17, until: nil).isOver(at: WallTime(milliseconds: .max))
        )
    }
}

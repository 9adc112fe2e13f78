import Logging
import Testing
import TributaryAdmin
import TributaryStore

@testable import Tributary
@testable import TributaryDaemon

/// The problems for clients when SQLite cannot write the store, whether a context or the store itself had the error.
@Suite struct StoreTroubleTests {
    /// Full disk, disk error with its extended code, read-only, missing file; locked.
    private static let codes: [(Int32, ProblemKind)] = [
        (13, .storageFull), (778, .inputOutput), (8, .inputOutput), (14, .inputOutput), (5, .notReady),
    ]

    @Test(arguments: codes)
    func eachWayTellsTheSame(code: Int32, kind: ProblemKind) {
        let error = StoreError.database(code: code, message: "no")
        for error in [error, ContextError(error)] as [any Error] {
            let problem = ProblemMapping.problem(of: error, logger: Logger(label: "test"), path: "/")
            #expect(problem.type == kind.type && problem.status == kind.status, "\(problem)")
        }
    }

    @Test func alsoALargeValueBesideIt() {
        let error = StoreError.blob(path: "/p", reason: "no room")
        for error in [error, ContextError(error)] as [any Error] {
            let problem = ProblemMapping.problem(of: error, logger: Logger(label: "test"), path: "/")
            #expect(problem.type == ProblemKind.inputOutput.type, "\(problem)")
        }
    }
}

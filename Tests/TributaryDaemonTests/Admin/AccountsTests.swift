import Logging
import Testing
import TributaryAdmin
import TributaryStore

@testable import Tributary
@testable import TributaryDaemon

@Suite struct AccountsTests {
    @Test func namesOfUsersAndNumbersOfGroups() {
        #expect(Accounts.userName(of: 0) == "root")
        #expect(Accounts.userName(of: 3_999_999_999) == nil)
        #expect(Accounts.groupID(named: "root") == 0)
        #expect(Accounts.groupID(named: "tributary-no-such-group") == nil)
    }

    /// A folder of another group would keep the replicator out.
    @Test func theCommandForALogFolderHasTheGroupWhereItIs() {
        let command = Accounts.commandToMakeLogFolder("/srv/a b")
        let (plain, hasGroup) = ("install -d -m 2770 '/srv/a b'", Accounts.groupID(named: "tributary-logs") != nil)
        #expect(command == plain || hasGroup && command.hasSuffix(" -g tributary-logs '/srv/a b'"), "\(command)")
    }

    @Test(.timeLimit(.minutes(30))) func manyMayAskAtOnce() async {
        let wrong = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200).count { index in
                        index.isMultiple(of: 2)
                            ? Accounts.userName(of: 0) != "root" : Accounts.userName(of: 3_999_999_999) != nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}

/// The problems for clients when SQLite cannot write the store, whether a context or the store itself had the error.
@Suite struct StoreTroubleTests {
    /// Full disk; disk error, alone and with its extended code; read-only, missing file; locked; faults of the program.
    private static let codes: [(Int32, ProblemKind)] = [
        (13, .storageFull), (10, .inputOutput), (10 | 3 << 8, .inputOutput), (8, .inputOutput), (14, .inputOutput),
        (5, .notReady), (11, .failure), (1, .failure),
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

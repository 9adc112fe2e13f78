import Glibc
import Testing
import TributaryAdmin

@Suite("Exit status")
struct ExitStatusTests {
    @Test(
        "an HTTP status becomes a number of sysexits.h",
        arguments: [
            (200, 0), (202, 0), (400, 64), (403, 77), (404, 66), (409, 75), (410, 65), (413, 65), (422, 65), (500, 70),
            (501, 70), (503, 75), (507, 75),
        ]
    )
    func mapping(http: Int, exit: Int32) {
        #expect(ExitStatus(httpStatus: http).rawValue == exit)
    }

    @Test("failures that may pass are to be tried again, a start that fails is not")
    func failures() {
        #expect(ExitStatus(ProblemDocument(.inputOutput)) == .tryAgain)
        #expect(ExitStatus(ProblemDocument(.storageFull)) == .tryAgain)
        #expect(ExitStatus(ProblemDocument(.failure)) == .internalError)
        #expect(ExitStatus(ProblemDocument(.blocked)) == .tryAgain)
        #expect(ExitStatus(ProblemDocument(.startFailed)) == .unavailable)
    }

    @Test("a failure of the system that may pass keeps no service from another start")
    func systemFailures() {
        for code in [EIO, ENOSPC, EDQUOT, EROFS, ESTALE, ETIMEDOUT] {
            #expect(ExitStatus(passing: code) == .inputOutput)
        }
        for code in [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EBUSY] { #expect(ExitStatus(passing: code) == .tryAgain) }
        for code in [nil, 0, ENOENT, EACCES, EPERM, EISDIR, ELOOP, ENAMETOOLONG, EEXIST] as [Int32?] {
            #expect(ExitStatus(passing: code) == nil)
        }
    }

    @Test("every problem has a status of its own kind and a type of the published list")
    func problems() {
        for kind in ProblemKind.allCases {
            #expect((400...599).contains(kind.status))
            #expect(kind.type.hasPrefix("urn:tributary:problem:"))
            #expect(!kind.title.isEmpty)
        }
    }
}

import Foundation
import TestSupport
import Testing

/// Options before the verb, as the unit files have them: `tributaryctl --socket PATH verb`.
@Suite struct LeadingOptionsTests {
    @Test(arguments: [
        ["--socket", "/nowhere/a.sock", "status"], ["status", "--socket", "/nowhere/a.sock"],
        ["--json", "--socket=/nowhere/a.sock", "reload"],
        ["-o", "json", "--socket", "/nowhere/a.sock", "--timeout", "5", "status", "-w"],
    ])
    func optionsStandOnEitherSideOfTheVerb(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder("options")
        let process = try ChildProcess(
            BuildFolder.executable("tributaryctl"),
            arguments,
            errors: folder.path("errors")
        )
        #expect(await process.ending() == .exited(69))
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(errors.contains("/nowhere/a.sock"))
    }

    @Test(arguments: [
        (["statsu"], "is 'tributaryctl status' meant?"), (["object", "lst"], "is 'tributaryctl object list' meant?"),
        (["frobnicate"], "tributaryctl --help"),
    ])
    func aMistypedVerbIsNamedWithTheOneThatIsMeant(_ arguments: [String], _ answer: String) async throws {
        let folder = try TemporaryFolder("verbs")
        let program = BuildFolder.executable("tributaryctl")
        let process = try ChildProcess(program, arguments, errors: folder.path("errors"))
        #expect(await process.ending() == .exited(64))
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(errors.contains(answer), "\(errors)")
    }

    @Test func theVersionIsAnOption() async throws {
        let folder = try TemporaryFolder("version")
        let program = BuildFolder.executable("tributaryctl")
        let process = try ChildProcess(program, ["--version"], output: folder.path("output"))
        #expect(await process.ending() == .exited(0))
        #expect(try String(contentsOfFile: folder.path("output"), encoding: .utf8).hasPrefix("tributaryctl "))
    }
}

import Foundation
import TestSupport
import Testing

/// Options before the verb, as the unit files have them: `tributaryctl --socket PATH verb`.
@Suite struct LeadingOptionsTests {
    @Test(arguments: [
        ["--socket", "/nowhere/a.sock", "status"], ["status", "--socket", "/nowhere/a.sock"],
        ["--json", "--socket=/nowhere/a.sock", "reload"],
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
}

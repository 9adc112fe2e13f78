import Foundation
import TestSupport
import Testing

/// What the README shows of the demo and of the command is what they print; `…` and identifiers stand for any text.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct ReadmeScreenTests {
    private func lines(_ example: String) throws -> [String] {
        try Readme.example(example).replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "…").split(separator: "\n")
            .map(String.init)
    }

    @Test func theDemoPrintsIt() async throws {
        let folder = try TemporaryFolder("demo")
        let answer = try await Answer(
            of: ["--demo"],
            to: "tributaryd",
            in: folder,
            environment: ["TMPDIR": folder.path]
        )
        #expect(answer.ending == .exited(0))
        #expect(StoryPage.matches(answer.output, try lines("demo").filter { $0 != "   …" }), "\(answer.output)")
    }

    @Test func theListOfObjectsIsTheOneShown() async throws {
        let daemon = try RunningDaemon()
        let model = PackageFolder.path("etc/tributary/model.yaml")
        try daemon.folder.write(try String(contentsOfFile: model, encoding: .utf8), to: "model.yaml")
        try await daemon.start()
        try await daemon.success(of: ["object", "insert", "Employee", "name=Ann", "salary=1200.5"])
        let list = ["object", "list", "Employee", "--where", "salary > 1000", "--sort", "-salary"]
        let answer = try await daemon.success(of: list)
        #expect(StoryPage.matches(answer.output, try lines("screen")), "\(answer.output)")
    }
}

import Foundation
import TestSupport
import Testing

/// `tributaryctl model generate` makes files only where somebody asks for them.
@Suite struct ModelGenerateTests {
    private func generate(_ folder: TemporaryFolder, _ arguments: String...) async throws -> String {
        let command = [BuildFolder.executable("tributaryctl"), "model", "generate", "../model.yaml"] + arguments
        // Its output is a file in the folder above.
        let work = folder.path("work")
        let answer = try await Answer(
            running: ["/bin/sh", "-c", "cd '\(work)' && exec \"$0\" \"$@\""] + command,
            in: folder
        )
        #expect(answer.ending == .exited(0), "\(answer)")
        return answer.output
    }

    @Test func withoutAFolderTheClassesArePrinted() async throws {
        let folder = try TemporaryFolder("generate")
        try folder.write(EmployeeModel.text, to: "model.yaml")
        try FileManager.default.createDirectory(atPath: folder.path("work"), withIntermediateDirectories: false)
        let printed = try await generate(folder)
        let json = try await generate(folder, "--json")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("work")) == [])
        let listed = try await generate(folder, "--output", "made").split(separator: "\n").map(String.init)
        #expect(listed.count == 3, "\(listed)")
        let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let files = try #require(value?["files"] as? [[String: String]])
        #expect(files.compactMap { $0["name"].map { "made/\($0)" } } == listed)
        var all = ""
        for file in files {
            let name = try #require(file["name"])
            let text = try String(contentsOfFile: folder.path("work/made/\(name)"), encoding: .utf8)
            #expect(file["text"] == text)
            all += "// \(name)\n\(text)"
        }
        #expect(printed == all)
    }
}

import Foundation
import TestSupport
import Testing

/// Every block of Swift that the documentation prints compiles: those that are files of `Examples` with the tests,
/// which run them; all others here, with `Fixtures/Prelude.swift` for what they take for granted.
///
/// Some of them use the modules of the daemon, which are not there where only the library is built.
@Suite(.enabled(if: Snippet.canCompile, "only the library is built"))
struct SnippetTests {
    /// The README's block is a file of the tests of the README.
    private static func loose() throws -> [Snippet] {
        try Snippet.all().filter { $0.example == nil && $0.file != "README.md" }
    }

    @Test func areFound() throws {
        let all = try Snippet.all()
        #expect(all.count >= 70 && all.contains { $0.file == "README.md" })
        #expect(Set(all.compactMap(\.example)).count >= 20)
        // A block without a language is no Swift: those that look like it are marked.
        for file in Set(all.map(\.file)) where file.hasSuffix(".md") {
            let text = try String(contentsOfFile: PackageFolder.path(file), encoding: .utf8)
            #expect(!text.contains("```\nlet ") && !text.contains("```\nimport "), "\(file)")
        }
    }

    @Test(.timeLimit(.minutes(30))) func compile() async throws {
        let folder = try TemporaryFolder("snippets")
        let prelude = PackageFolder.path("Tests/ExampleTests/Fixtures/Prelude.swift")
        try FileManager.default.copyItem(atPath: prelude, toPath: folder.path("Prelude.swift"))
        for (number, snippet) in try Self.loose().enumerated() {
            try Data(snippet.source(number).utf8).write(to: URL(fileURLWithPath: folder.path("Snippet\(number).swift")))
        }
        let errors = try await SwiftCompiler().errors(inFilesOf: folder)
        #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
    }

    @Test func aWrongBlockIsFound() async throws {
        let folder = try TemporaryFolder("snippets")
        let prelude = PackageFolder.path("Tests/ExampleTests/Fixtures/Prelude.swift")
        try FileManager.default.copyItem(atPath: prelude, toPath: folder.path("Prelude.swift"))
        let wrong = Snippet(file: "Article.md", line: 7, example: nil, text: "try ObjectPredicate(\"age > 100\")\n")
        try Data(wrong.source(0).utf8).write(to: URL(fileURLWithPath: folder.path("Snippet0.swift")))
        let errors = try await SwiftCompiler().errors(inFilesOf: folder)
        #expect(errors.contains { $0.contains("Article.md:7:") }, "\(errors)")
    }
}

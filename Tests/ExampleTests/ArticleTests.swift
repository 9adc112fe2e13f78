import Foundation
import TestSupport
import Testing

/// The articles print the examples as they are compiled and run here, each of them once at least.
@Suite struct ArticleTests {
    private static let articles = "Sources/Tributary/Tributary.docc"

    private struct Block: Hashable {
        var article: String
        var example: String
        var text: String
    }

    /// The blocks after the markers `<!-- example: FILE -->`.
    private static func blocks() throws -> [Block] {
        let folder = PackageFolder.path(articles)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        return try names.sorted().flatMap { name in
            let lines = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).components(separatedBy: "\n")
            return lines.indices.compactMap { index -> Block? in
                guard lines[index].hasPrefix("<!-- example: "), lines[index].hasSuffix(" -->") else { return nil }
                let example = lines[index].dropFirst("<!-- example: ".count).dropLast(" -->".count)
                let text = lines[(index + 2)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
                return Block(article: name, example: String(example), text: text)
            }
        }
    }

    @Test func printTheExamplesAsTheyAre() throws {
        let blocks = try Self.blocks()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let file = PackageFolder.path("Tests/ExampleTests/Examples/\(block.example)")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(block.text == text, "\(block.article) prints another text than \(block.example)")
        }
    }

    @Test func printEveryExample() throws {
        let printed = Set(try Self.blocks().map(\.example))
        let examples = try FileManager.default.contentsOfDirectory(
            atPath: PackageFolder.path("Tests/ExampleTests/Examples")
        )
        #expect(Set(examples) == printed)
    }
}

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

/// The symbols of the table "Coming from Core Data" are public and have the labels that it prints.
@Suite(.enabled(if: DocumentationBuild() != nil, "the toolchain extracts no symbols"))
struct CoreDataTableTests {
    @Test(.timeLimit(.minutes(30))) func namesWhatIsPublic() async throws {
        let build = try #require(DocumentationBuild())
        var symbols: Set<String> = []
        for module in ["Tributary", "TributaryModel", "TributaryChanges"] {
            symbols.formUnion(try await build.symbols(of: module))
        }
        #expect(symbols.contains("ManagedObject.link(_:forKey:)"))
        // A name without parentheses stands for all functions of that name.
        let names = Set(symbols.map { String($0.prefix { $0 != "(" }) })
        let cells = try Article("ComingFromCoreData").rows().map { $0[1] }
        let missing = cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }.filter { symbol in
            symbol.contains("(") ? !symbols.contains(symbol) : !names.contains(symbol)
        }
        #expect(missing.isEmpty)
    }
}

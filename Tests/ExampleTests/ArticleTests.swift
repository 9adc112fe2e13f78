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

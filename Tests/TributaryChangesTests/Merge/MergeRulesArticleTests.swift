import Foundation
import TestSupport
import Testing

/// The article on the merge rules names types that are there, and comments cite statements that are in it.
@Suite struct MergeRulesArticleTests {
    private static let article = "Sources/TributaryChanges/TributaryChanges.docc/MergeRules.md"

    private static func sources() throws -> [String] {
        let files = FileManager.default.enumerator(atPath: PackageFolder.path("Sources"))
        return try (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
            .map { try Article.text(of: "Sources/" + $0) }
    }

    @Test func theStatementsAreNumberedFromOne() throws {
        let text = try Article.text(of: Self.article)
        let numbers = text.matches(of: /\*\*Statement (\d+)\.\*\*/).compactMap { Int($0.1) }
        #expect(numbers == Array(1...numbers.count))
    }

    @Test func everyTypeThatItNamesIsThere() throws {
        let declared = Set(
            try Self.sources().flatMap { text in
                text.matches(of: /\b(?:struct|enum|protocol|class) ([A-Z]\w*)/).map { String($0.1) }
            }
        )
        let rows = try Article(path: Self.article).rows(under: "Where the statements are")
        let named = rows.flatMap { $0[1].split(separator: ", ").compactMap { Article.code(String($0)) } }
        #expect(named.count >= rows.count)
        #expect(Set(named).subtracting(declared).isEmpty)
    }

    @Test func everyStatementThatACommentCitesIsInIt() throws {
        let text = try Article.text(of: Self.article)
        var citations = 0
        for source in try Self.sources() {
            for comment in source.matches(of: /[Mm]erge statements? ([^\n]*)/) {
                for number in String(comment.1).matches(of: /\b\d+\b/).map(\.output) {
                    citations += 1
                    #expect(text.contains("**Statement \(number).**"), "\(comment.0)")
                }
            }
        }
        #expect(citations >= 7)
    }
}

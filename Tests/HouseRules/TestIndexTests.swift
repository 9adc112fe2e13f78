import Foundation
import TestSupport
import Testing

/// The index of the tests names each suite with its folder, and no other.
@Suite struct TestIndexTests {
    /// The type of a suite with its folder in `Tests`.
    private struct Suite: Hashable {
        var name: String
        var folder: String
    }

    /// Suites whose assertions are in types that they share, or in the test that starts them as a process.
    private static let assertingElsewhere = ["ChildWriterTests", "MigratingChildTests"]

    /// The number of assertions of each suite in `Tests`.
    private static func suites() throws -> [Suite: Int] {
        let files = try SourceTree.ofThisPackage().swiftFiles.filter { $0.isTest && !$0.isFixture }
        let suites = files.filter { $0.codeLines.contains { $0.drop { $0 == " " }.hasPrefix("@Test") } }
        return Dictionary(
            uniqueKeysWithValues: suites.map { file in
                let folder = file.path.dropFirst("Tests/".count).dropLast(file.name.count + 1)
                let assertions = file.codeLines.reduce(0) {
                    $0 + $1.matches(of: /(?:#expect|#require|Issue\.record)\b/).count
                }
                return (Suite(name: String(file.name.dropLast(".swift".count)), folder: String(folder)), assertions)
            }
        )
    }

    /// The rows of the index: a behaviour and its suite.
    private static func rows() throws -> [(behaviour: String, suite: Suite)] {
        try Article("TestIndex").rows().map { row in
            try #require(row.count == 3, "\(row)")
            let name = try #require(Article.code(row[1]), "\(row)")
            return (row[0], Suite(name: name, folder: try #require(Article.code(row[2]), "\(row)")))
        }
    }

    @Test func eachRowNamesASuiteThatExists() throws {
        let suites = try Self.suites()
        let missing = try Self.rows().filter { suites[$0.suite] == nil }
        #expect(missing.map(\.suite) == [])
    }

    @Test func eachSuiteHasARow() throws {
        let named = Set(try Self.rows().map(\.suite))
        let unnamed = try Self.suites().keys.filter { !named.contains($0) }
        #expect(unnamed.map { "\($0.folder)/\($0.name)" }.sorted() == [])
        #expect(named.count > 300)
    }

    @Test func eachRowSaysABehaviourOfItsOwn() throws {
        let behaviours = try Self.rows().map(\.behaviour)
        #expect(Set(behaviours).count == behaviours.count)
        for behaviour in behaviours {
            #expect(behaviour.split(separator: " ").count >= 4, "\(behaviour)")
            #expect(behaviour.count <= 160, "\(behaviour)")
        }
    }

    @Test func eachMergeStatementHasASuite() throws {
        let article = try Article.text(of: "Sources/TributaryChanges/TributaryChanges.docc/MergeRules.md")
        let statements = Set(article.matches(of: /\*\*Statement (\d+)\.\*\*/).compactMap { Int($0.1) })
        var tested: Set<Int> = []
        for row in try Article("TestIndex").rows(under: "Merge rules") {
            guard let words = row[0].firstMatch(of: /^Statements? ([\d, to]+):/)?.1 else { continue }
            let ends = words.matches(of: /\d+/).compactMap { Int($0.0) }
            if words.contains(" to "), ends.count == 2 { tested.formUnion(ends[0]...ends[1]) }
            tested.formUnion(ends)
        }
        #expect(statements.count >= 19 && tested == statements)
    }

    @Test func theSuitesAssert() throws {
        let suites = try Self.suites()
        let silent = suites.filter { $0.value == 0 }.keys.map(\.name).sorted()
        #expect(silent == Self.assertingElsewhere)
        #expect(suites.values.reduce(0, +) >= 5_500)
    }
}

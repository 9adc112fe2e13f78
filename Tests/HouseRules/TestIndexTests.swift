import Foundation
import TestSupport
import Testing

/// The index of the tests leads from each statement of the merge rules to a suite that is there.
@Suite struct TestIndexTests {
    @Test func eachMergeStatementHasASuite() throws {
        let merging = try Article.text(of: "Sources/TributaryChanges/TributaryChanges.docc/MergeRules.md")
        let statements = Set(merging.matches(of: /\*\*Statement (\d+)\.\*\*/).compactMap { Int($0.1) })
        let files = try SourceTree.ofThisPackage().swiftFiles
        var tested: Set<Int> = []
        for row in try Article("TestIndex").rows() {
            try #require(row.count == 3, "\(row)")
            let suite = try #require(Article.code(row[1])), folder = try #require(Article.code(row[2]))
            let file = files.first { $0.path.hasPrefix("Tests/\(folder)/") && $0.text.contains("struct \(suite) {") }
            #expect(file?.text.contains("@Test") == true, "\(folder)/\(suite) has no test")
            guard let words = row[0].firstMatch(of: /^Statements? ([\d, to]+):/)?.1 else { continue }
            let ends = words.matches(of: /\d+/).compactMap { Int($0.0) }
            if words.contains(" to "), ends.count == 2 { tested.formUnion(ends[0]...ends[1]) }
            tested.formUnion(ends)
        }
        #expect(statements.count >= 19 && tested == statements)
    }
}

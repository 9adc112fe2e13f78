import Foundation
import TestSupport
import Testing

/// Each block of the articles that is marked for a test is taken by one.
@Suite struct StoryPageTests {
    @Test(arguments: ["Stories", "LostFiles", "NewMachine", "Backups", "Compaction", "Trust", "Encryption"])
    func everyBlockIsTested(name: String) throws {
        let folder = PackageFolder.path("Tests/CommandLine")
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let text = try files.filter { $0.hasSuffix("Tests.swift") || $0.contains("StoryMachine") }.map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }.joined()
        let page = try StoryPage(name)
        #expect(page.names.count >= 2)
        for block in page.names {
            let word = block.split(separator: " ").last ?? ""
            let isNamed =
                text.contains("\"\(block)\"") || text.contains("page, \"\(word)\"")
                || text.contains("(\"\(name)\"), \"\(word)\"") || text.contains("commands(\"\(word)\"")
            #expect(isNamed, "no test takes '\(block)' from \(name)")
        }
    }

    @Test func textsAreComparedWithPlaceholders() {
        let text = "one\nproblem: a is 12 s ahead\n  hint: type this\n"
        #expect(StoryPage.matches(text, ["problem: a is … s ahead", "  hint: …this"]))
        #expect(!StoryPage.matches(text, ["  hint: type this", "problem: a is … s ahead"]))
        #expect(!StoryPage.matches(text, ["problem: a is … ms ahead"]))
        #expect(!StoryPage.matches(text, ["problem: a is"]))
        #expect(!StoryPage.matches(text, ["problem: … s ahead of time"]))
    }
}

import Foundation
import TestSupport
import Testing

/// The articles on changes lead to types and tests that are there.
@Suite struct ChangingArticleTests {
    struct Task {
        let name: String
        let text: String
        let rows: [[String]]

        /// The text behind a label such as `**Tests:**`, up to the next label; nil without the label.
        func paragraph(_ label: String) -> Substring? {
            guard let start = text.range(of: "\n**\(label):**")?.upperBound else { return nil }
            let rest = text[start...]
            return rest[..<(rest.range(of: "\n**")?.lowerBound ?? rest.endIndex)]
        }
    }

    static func tasks() throws -> [Task] {
        try ["Changing", "ChangingTheDaemon"].map { try Article($0) }.flatMap { article in
            article.text.split(separator: "\n## ").dropFirst().compactMap { section in
                let name = String(section.prefix { $0 != "\n" })
                guard name != "Overview" else { return nil }
                return Task(name: name, text: String(section), rows: article.rows(under: name))
            }
        }
    }

    /// A type is in the files that declare or extend it; members of the tables are checked with their files.
    @Test func everyTypeAndMemberInTheTextIsThere() throws {
        let files = Self.byType(try SourceTree.ofThisPackage().swiftFiles.filter { !$0.isFixture })
        var words: Set<String> = []
        for task in try Self.tasks() {
            words.formUnion(task.text.code.filter(Self.isSymbol))
            words.subtract(task.rows.compactMap { Article.code($0[0]) })
        }
        #expect(words.count > 50)
        for word in words { #expect(Self.isDeclared(word, in: files), "\(word) is declared nowhere") }
    }

    @Test func everyTaskNamesTests() throws {
        let tests = Self.byType(try SourceTree.ofThisPackage().swiftFiles.filter(\.isTest))
        for task in try Self.tasks() {
            let names = String(task.paragraph("Tests") ?? "").code.filter {
                $0.split(separator: ".").first?.hasSuffix("Tests") == true
            }
            #expect(!names.isEmpty, "\(task.name) has no test")
            for name in names {
                let parts = name.split(separator: ".").map(String.init)
                let files = tests[parts[0]] ?? []
                #expect(!files.isEmpty, "\(task.name): \(parts[0]) is not there")
                guard parts.count > 1, !files.isEmpty else { continue }
                let isThere = files.contains { $0.text.contains("func \(parts[1])(") }
                #expect(isThere, "\(task.name): \(name) is not there")
            }
        }
    }

    @Test func aWrongSampleIsFound() {
        #expect(["Ab", "Ab.c", "NULL", "a.b", "Ab/c.md", "README.md", "Ab c"].filter(Self.isSymbol) == ["Ab", "Ab.c"])
        let text = "package struct Ab: C {\n    enum Cd {}\n    let e = 1\n}"
        let files = Self.byType([SourceFile(path: "Sources/Ab+C.swift", text: text)])
        let words = ["Ab", "Ab.Cd", "Ab.e", "Cd", "Ab.f"]
        #expect(words.filter { Self.isDeclared($0, in: files) } == ["Ab", "Ab.Cd", "Ab.e"])
        let task = Task(name: "a", text: "a\n\n**Tests:** `B`\n`C`\n\n**Stays true:** d", rows: [])
        #expect(task.paragraph("Tests") == " `B`\n`C`\n" && task.paragraph("Documents") == nil)
    }

    /// Whether a word in code is the name of a type, or of a member behind the name of its type.
    private static func isSymbol(_ word: String) -> Bool {
        guard let first = word.first, first.isUppercase, word.contains(where: \.isLowercase) else { return false }
        return word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." } && !word.hasSuffix(".md")
    }

    /// By type, the files that declare or extend it outside of any other type.
    private static func byType(_ files: [SourceFile]) -> [String: [SourceFile]] {
        let keywords: Set<Substring> = ["struct", "class", "actor", "enum", "protocol", "typealias", "extension"]
        var found: [String: [SourceFile]] = [:]
        for file in files {
            var types: Set<String> = []
            for line in file.text.split(separator: "\n") where line.first?.isLetter == true || line.first == "@" {
                let words = line.split(separator: " ")
                guard let keyword = words.firstIndex(where: keywords.contains), keyword + 1 < words.count else {
                    continue
                }
                types.insert(String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber }))
            }
            for type in types { found[type, default: []].append(file) }
        }
        return found
    }

    /// Whether files that declare or extend the type have the nested type or the member behind its dot.
    private static func isDeclared(_ word: String, in files: [String: [SourceFile]]) -> Bool {
        let parts = word.split(separator: ".").map(String.init)
        let own = files[parts[0]] ?? []
        guard let last = parts.last, parts.count > 1 else { return !own.isEmpty }
        let keywords = ["struct", "class", "actor", "enum", "typealias", "func", "var", "let", "case"]
        return own.contains { file in
            file.codeLines.lazy.filter { $0.contains(last) }.contains { line in
                keywords.contains { keyword in
                    [" ", ":", "<", "(", ","].contains { line.contains("\(keyword) \(last)\($0)") }
                        || line.hasSuffix("\(keyword) \(last)")
                }
            }
        }
    }
}

import TestSupport
import Testing

/// The walks name functions that are there.
@Suite struct WalksArticleTests {
    @Test func eachFunctionIsDeclaredInItsFile() throws {
        let tree = try SourceTree.ofThisPackage()
        let rows = try Article("Walks").rows()
        #expect(rows.count > 100)
        for row in rows {
            try #require(row.count == 3, "\(row)")
            let function = try #require(Article.code(row[0]), "\(row[0])")
            let path = try #require(Article.code(row[1]), "\(row[1])")
            let file = try #require(tree.file(path), "\(path) is not there")
            #expect(Self.declares(function, in: file), "\(path) does not declare \(function)")
        }
    }

    @Test func eachNumberIsThatOfTheRows() throws {
        let article = try Article("Walks")
        var walks = 0
        for section in article.text.split(separator: "\n## ").dropFirst() where !section.hasPrefix("Overview\n") {
            let lines = section.split(separator: "\n").map(String.init)
            try #require(lines.count > 1, "\(section)")
            let count = article.rows(under: lines[0]).count
            #expect(lines[1].hasPrefix("The walk has \(count) functions."), "\(lines[0]): \(count) rows")
            walks += 1
        }
        #expect(walks == 4)
    }

    @Test func aWrongSampleIsFound() {
        let text = """
            extension A.B {
                init(c: Int) {}
                // func d() {}
                func e<T>(_ t: T) {}
                var f: Int { 0 }
            }
            """
        let file = SourceFile(path: "Sources/A.swift", text: text)
        let names = ["A.B.init", "A.B.d", "A.B.e", "A.B.f", "A.e", "B.f"]
        #expect(names.filter { Self.declares($0, in: file) } == ["A.B.init", "A.B.e", "A.B.f"])
    }

    /// Whether the file declares or extends the type and declares the member: `Type.member`, or `Outer.Type.member`.
    static func declares(_ name: String, in file: SourceFile) -> Bool {
        let parts = name.split(separator: ".").map(String.init)
        guard let member = parts.last, parts.count > 1 else { return false }
        let type = parts.dropLast().joined(separator: ".")
        let code = file.codeLines.joined(separator: "\n")
        let types = ["struct", "class", "actor", "enum", "protocol", "extension"].map { "\($0) \(type)" }
        let isKeyword = member == "init" || member == "subscript"
        let members = isKeyword ? [member] : ["func", "var", "let", "case"].map { "\($0) \(member)" }
        return occurs(types, before: [" ", ":", "<"], in: code)
            && occurs(members, before: ["(", "<", ":", " ="], in: code)
    }

    /// Whether one of the words stands in the code with one of the endings behind it.
    private static func occurs(_ words: [String], before endings: [String], in code: String) -> Bool {
        words.contains { word in endings.contains { code.contains(word + $0) } }
    }

    /// The texts in backticks in a cell that have no space.
    private static func code(in cell: String) -> [String] {
        cell.split(separator: "`").map(String.init).filter { part in !part.contains { $0.isWhitespace } }
    }
}

import TestSupport
import Testing

/// The functions that articles name are declared in the files that they name.
@Suite struct NamedFunctionTests {
    /// A row of an article: the functions that it names, each with its type, and the files that declare them.
    private typealias Row = (functions: [String], files: [String])

    private static func rows(of article: String) throws -> [Row] {
        switch article {
        case "Walks":
            return try Article(article).rows().map { row in
                try #require(row.count == 4, "\(row)")
                let type = try #require(Article.code(row[0]), "\(row[0])")
                return (row[1].code.map { "\(type).\($0)" }, row[2].code)
            }
        case "Protocol":
            let rows = try ProtocolArticleTests.models.keys.flatMap { try Article(article).rows(under: $0) }
            return try rows.filter { $0.last != "the world outside" }.map { row in
                try #require(row.count == 3, "\(row)")
                let isFile = { (name: String) in name.hasPrefix("Sources/") }
                return (row[2].code.filter { !isFile($0) }, row[2].code.filter(isFile))
            }
        default:
            return try ChangingArticleTests.tasks().flatMap(\.rows).map { row in
                try #require(row.count == 3 && !row[2].isEmpty, "\(row)")
                return ([try #require(Article.code(row[0]))], [try #require(Article.code(row[1]))])
            }
        }
    }

    @Test(arguments: ["Walks", "Protocol", "Changing"])
    func eachFunctionIsDeclaredInItsFile(article: String) throws {
        let tree = try SourceTree.ofThisPackage()
        let rows = try Self.rows(of: article)
        #expect(rows.count >= 30)
        for row in rows {
            #expect(!row.functions.isEmpty, "\(row)")
            let files = try row.files.map { path in try #require(tree.file(path), "\(path) is not there") }
            for function in row.functions where !files.contains(where: { Self.declares(function, in: $0) }) {
                let others = tree.swiftFiles.filter { Self.declares(function, in: $0) }.map(\.path)
                Issue.record("\(row.files) does not declare \(function), but \(others)")
            }
            for file in files where !row.functions.contains(where: { Self.declares($0, in: file) }) {
                Issue.record("\(file.path) declares none of \(row.functions)")
            }
        }
    }

    @Test func aWrongSampleIsFound() {
        let text = """
            extension A.B {
                init(c: Int) {}
                // func d() {}
                func e<T>(_ t: T) {}
                var f: Int { 0 }
                private static let g = 1
                func i() {
                    let h = 2
                    func j() {}
                }
            }
            """
        let file = SourceFile(path: "Sources/A.swift", text: text)
        let names = ["init", "d", "e", "f", "g", "h", "i", "j"].map { "A.B.\($0)" } + ["A.e", "B.f"]
        #expect(names.filter { Self.declares($0, in: file) } == ["init", "e", "f", "g", "i"].map { "A.B.\($0)" })
    }

    /// Whether the file declares or extends the type and declares the member: `Type.member`, or `Outer.Type.member`.
    ///
    /// A member is indented by one level; what is declared inside a function is not a member.
    static func declares(_ name: String, in file: SourceFile) -> Bool {
        let parts = name.split(separator: ".").map(String.init)
        guard let member = parts.last, parts.count > 1 else { return false }
        let type = parts.dropLast().joined(separator: ".")
        let code = file.codeLines.joined(separator: "\n")
        let types = ["struct", "class", "actor", "enum", "protocol", "extension"].map { "\($0) \(type)" }
        let isKeyword = member == "init" || member == "subscript"
        let members = isKeyword ? [member] : ["func", "var", "let", "case"].map { "\($0) \(member)" }
        return occurs(types, before: [" ", ":", "<"], in: code)
            && file.codeLines.contains { line in
                guard line.prefix(while: { $0 == " " }).count == 4 else { return false }
                return occurs(members, before: ["(", "<", ":", " ="], in: line)
            }
    }

    /// Whether one of the words stands in the code with one of the endings behind it.
    private static func occurs(_ words: [String], before endings: [String], in code: String) -> Bool {
        words.contains { word in endings.contains { code.contains(word + $0) } }
    }
}

import TestSupport
import Testing

/// The walks name functions that are there.
@Suite struct WalksArticleTests {
    @Test func eachFunctionIsDeclaredInItsFile() throws {
        let tree = try SourceTree.ofThisPackage()
        let rows = try Article("Walks").rows()
        #expect(rows.count > 40)
        for row in rows {
            try #require(row.count == 4, "\(row)")
            let type = try #require(Article.code(row[0]), "\(row[0])")
            let functions = Self.code(in: row[1])
            #expect(!functions.isEmpty, "\(type) has no function")
            let files = try Self.code(in: row[2]).map { path in try #require(tree.file(path), "\(path) is not there") }
            for function in functions {
                let isDeclared = files.contains { Self.declares("\(type).\(function)", in: $0) }
                #expect(isDeclared, "\(row[2]) does not declare \(type).\(function)")
            }
            for file in files {
                let isUsed = functions.contains { Self.declares("\(type).\($0)", in: file) }
                #expect(isUsed, "\(file.path) declares none of \(row[1])")
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

    private static func code(in cell: String) -> [String] {
        cell.split(separator: "`").map(String.init).filter { part in !part.contains { $0.isWhitespace } }
    }
}

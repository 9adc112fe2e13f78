import Testing

/// The architecture article says what the code does.
@Suite struct ArchitectureArticleTests {
    private static let path = "Sources/Tributary/Tributary.docc/Architecture.md"

    @Test func everyFileThatItNamesIsThere() throws {
        let tree = try SourceTree.ofThisPackage()
        let article = try #require(tree.file(Self.path))
        let missing = Self.paths(in: article.text).filter { path in
            !tree.files.contains { $0.path == path || $0.path.hasPrefix(path + "/") }
        }
        #expect(missing == [])
    }

    @Test func itsTableIsTheModuleGraph() throws {
        let article = try #require(try SourceTree.ofThisPackage().file(Self.path))
        let section = try #require(article.text.split(separator: "\n## ").first { $0.hasPrefix("The modules\n") })
        let table = Self.modules(in: String(section))
        #expect(table == ModuleGraph.arrows.filter { !$0.key.hasPrefix("C") })
    }

    @Test func aWrongSampleIsFound() {
        let sample = "| A | text | nothing |\n| B | text | A, CLinux |\nSee `Sources/A/Gone.swift` and `Package.swift`."
        #expect(Self.paths(in: sample) == ["Sources/A/Gone.swift"])
        #expect(Self.modules(in: sample) == ["A": [], "B": ["A", "CLinux"]])
    }

    /// The texts in backticks that begin with a folder of the package.
    private static func paths(in text: String) -> [String] {
        text.split(separator: "`").map(String.init).filter { word in
            (word.hasPrefix("Sources/") || word.hasPrefix("Tests/")) && !word.contains { $0.isWhitespace }
        }
    }

    /// The rows of a table with three columns, by module: the modules that each uses.
    private static func modules(in text: String) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
            guard cells.count == 3, let name = cells[0].split(separator: " ").first, Int(name) == nil else { continue }
            let used = cells[2].split { $0 == "," || $0 == " " }.map(String.init)
            if name != "module" { found[String(name)] = used == ["nothing"] ? [] : Set(used) }
        }
        return found
    }
}

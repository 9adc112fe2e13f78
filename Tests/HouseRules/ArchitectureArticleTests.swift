import TestSupport
import Testing

/// The architecture article says what the code does.
@Suite struct ArchitectureArticleTests {
    /// A module that depends on another one without an arrow of the article is found here.
    @Test func itsTableIsTheModuleGraph() throws {
        let section = try #require(
            try Article("Architecture").text.split(separator: "\n## ").first { $0.hasPrefix("The modules\n") }
        )
        let targets = PackageManifest(try Article.text(of: "Package.swift")).targets
            .filter { $0.path.hasPrefix("Sources/") && !$0.name.hasPrefix("C") }
        #expect(
            Self.modules(in: String(section)) == Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.targets) })
        )
    }

    @Test func itNamesEachFolderOnce() throws {
        let tree = try SourceTree.ofThisPackage()
        let rows = try Article("Architecture").rows(under: "The folders of the larger modules")
        let named = Self.folders(in: rows)
        #expect(Set(named).count == named.count, "\(named.sorted())")
        let folders = tree.swiftFiles.map { $0.path.split(separator: "/").dropLast() }
            .filter { $0.first == "Sources" && $0.count > 2 }
        #expect(Set(folders).count > 50)
        for folder in Set(folders) {
            let module = folder[1]
            let isNamed = folder.dropFirst(2).allSatisfy { named.contains("\(module)/\($0)") }
            #expect(isNamed, "\(folder.joined(separator: "/"))")
        }
    }

    @Test func aWrongSampleIsFound() {
        let sample = "| A | text | nothing |\n| B | text | A, CLinux |\n"
        #expect(Self.modules(in: sample) == ["A": [], "B": ["A", "CLinux"]])
        #expect(Self.folders(in: [["`A/B/C`, `D`", "text and `E`"]]) == ["A/C", "A/D", "A/E"])
    }

    /// The folders that rows name, each as its module and its own name: the last part of each text in backticks.
    private static func folders(in rows: [[String]]) -> [String] {
        rows.flatMap { row -> [String] in
            let names = row.joined(separator: " ").code.map { $0.split(separator: "/") }
            guard let module = names.first?.first else { return [] }
            return names.compactMap { name in name.last.map { "\(module)/\($0)" } }
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

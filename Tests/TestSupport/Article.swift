import Foundation

/// An article of the documentation, for tests that compare its tables with the code.
package struct Article: Sendable {
    package let name: String
    private let lines: [String]

    /// Reads an article of the library's catalogue.
    package init(_ name: String) throws {
        try self.init(path: "Sources/Tributary/Tributary.docc/\(name).md")
    }

    package init(path: String) throws {
        name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        lines = try Article.text(of: path).components(separatedBy: "\n")
    }

    package static func text(of path: String) throws -> String {
        try String(contentsOfFile: PackageFolder.path(path), encoding: .utf8)
    }

    package var text: String { lines.joined(separator: "\n") }

    /// The cells of the rows of every table under a heading of the second level, without the header rows.
    ///
    /// Without a heading, it is the tables of the whole article.
    package func rows(under heading: String? = nil) -> [[String]] {
        var section = lines[...]
        if let heading {
            guard let start = lines.firstIndex(of: "## \(heading)") else { return [] }
            section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        }
        return Article.rows(of: section)
    }

    private static func rows(of section: ArraySlice<String>) -> [[String]] {
        let isTable = { (line: String) in line.hasPrefix("|") }
        return section.indices.compactMap { index in
            // The header row of a table is followed by the line of dashes.
            guard isTable(section[index]), !section[index].hasPrefix("|---"),
                index + 1 >= section.endIndex || !section[index + 1].hasPrefix("|---")
            else { return nil }
            return section[index].split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The content of the code block that follows a line, each of its lines with its newline; nil without a block.
    package func block(after line: String) -> String? { blocks(after: line).first }

    /// The contents of the code blocks that follow such a line.
    package func blocks(after line: String) -> [String] {
        lines.indices.filter { lines[$0] == line }.compactMap { start in
            guard start + 1 < lines.count, lines[start + 1].hasPrefix("```") else { return nil }
            return lines[(start + 2)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
        }
    }

    /// The headings of the third level under a heading of the second, each with the cells of its tables' rows.
    package func sections(under heading: String) -> [(heading: String, rows: [[String]])] {
        guard let start = lines.firstIndex(of: "## \(heading)") else { return [] }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.indices.filter { section[$0].hasPrefix("### ") }.map { index in
            let rows = Article.rows(of: section[(index + 1)...].prefix { !$0.hasPrefix("### ") })
            return (String(section[index].dropFirst(4)), rows)
        }
    }

    /// The content of a cell that is code, without the code marks; nil for any other cell.
    package static func code(_ cell: String) -> String? {
        guard cell.count > 2, cell.hasPrefix("`"), cell.hasSuffix("`") else { return nil }
        return String(cell.dropFirst().dropLast())
    }
}

/// A type or an extension that a file declares at its top level.
struct TopLevelDeclaration: Sendable, Hashable {
    var name: String
    var isExtension: Bool
    var isPrivate: Bool
    /// Counted from 1.
    var line: Int

    /// The declarations that begin in the first column; the formatter indents all others.
    static func all(in file: SourceFile) -> [TopLevelDeclaration] {
        let pattern =
            /^((?:@\w+(?:\([^)]*\))?\s+|[a-z]+(?:\([a-z]+\))?\s+)*?)(struct|class|enum|actor|protocol|extension)\s+([\w.]+)/
        return file.codeLines.enumerated().compactMap { index, line in
            guard line.first?.isWhitespace == false, let match = try? pattern.firstMatch(in: line),
                !["func", "var"].contains(String(match.output.3))
            else {
                return nil
            }
            return TopLevelDeclaration(
                name: String(match.output.3),
                isExtension: match.output.2 == "extension",
                isPrivate: match.output.1.contains("private"),
                line: index + 1
            )
        }
    }

    private static let keywords = ["struct ", "class ", "enum ", "actor ", "protocol ", "typealias "]

    /// The name of the type that a line declares, at any depth.
    static func name(ofTypeDeclaredBy line: String) -> String? {
        guard keywords.contains(where: { line.contains($0) }) else { return nil }
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+|[a-z]+(?:\([a-z]+\))?\s+)*?(?:struct|class|enum|actor|protocol|typealias)\s+([A-Z]\w*)/
        return (try? pattern.firstMatch(in: line)).map { String($0.output.1) }
    }
}

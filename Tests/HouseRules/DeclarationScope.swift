/// In which type a line of a file stands.
enum DeclarationScope {
    private static let keywords = ["struct ", "class ", "enum ", "actor ", "protocol ", "extension "]

    /// For each line the struct, class or actor whose body it stands in directly, as a path of names; nil elsewhere,
    /// such as in a function, an enumeration or an extension.
    static func ofLines(in file: SourceFile) -> [String?] {
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+|[a-z]+(?:\([a-z]+\))?\s+)*?(struct|class|enum|actor|protocol|extension)\s+([A-Z][\w.]*)/
        // The names of the declarations that are open, with the depth of their bodies.
        var open: [(name: String, holdsProperties: Bool, depth: Int)] = []
        var pending: (name: String, holdsProperties: Bool)?
        var depth = 0
        return file.codeLines.map { line in
            var scope: String?
            if let innermost = open.last, innermost.depth == depth, innermost.holdsProperties {
                scope = open.map(\.name).joined(separator: ".")
            }
            if keywords.contains(where: line.contains), let match = try? pattern.firstMatch(in: line) {
                pending = (String(match.output.2), ["struct", "class", "actor"].contains(match.output.1))
            }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") {
                    depth += 1
                    if let declaration = pending {
                        open.append((declaration.name, declaration.holdsProperties, depth))
                        pending = nil
                    }
                } else if byte == UInt8(ascii: "}") {
                    if open.last?.depth == depth { open.removeLast() }
                    depth -= 1
                }
            }
            return scope
        }
    }
}

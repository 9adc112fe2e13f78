/// The number of lines of each function and initialiser, its signature and braces included.
enum FunctionLengths {
    private static let keywords = ["func ", "init(", "init?(", "init<", "subscript"]

    static func counts(in tree: SourceTree) -> [ShapeCount] {
        tree.swiftFiles.filter { !$0.isFixture && $0.path != "Package.swift" }.flatMap(counts(in:))
    }

    private static func counts(in file: SourceFile) -> [ShapeCount] {
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+|[a-z]+(?:\([a-z]+\))?\s+)*?(func\s+[^\s(<]+|init\b|subscript\b)/
        var found: [ShapeCount] = []
        var open: [(name: String, first: Int, depth: Int)] = []
        var pending: (name: String, first: Int)?
        var depth = 0
        for (index, line) in file.codeLines.enumerated() {
            if keywords.contains(where: line.contains), let match = try? pattern.firstMatch(in: line) {
                let words = match.output.1.split(separator: " ")
                pending = (String(words.last ?? ""), index)
            }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") {
                    depth += 1
                    if let function = pending {
                        open.append((function.name, function.first, depth))
                        pending = nil
                    }
                } else if byte == UInt8(ascii: "}") {
                    pending = nil
                    if let last = open.last, last.depth == depth {
                        let subject = "\(file.path) \(last.name)"
                        found.append(ShapeCount(subject: subject, value: index - last.first + 1, path: file.path))
                        open.removeLast()
                    }
                    depth -= 1
                }
            }
        }
        return found
    }
}

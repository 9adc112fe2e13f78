/// The number of stored properties of each struct, class and actor in Sources, nested ones included.
enum StoredProperties {
    static func counts(in tree: SourceTree) -> [ShapeCount] {
        tree.swiftFiles.filter { !$0.isFixture }.flatMap { file in
            module(ofFile: file.path).map { counts(in: file, module: $0) } ?? []
        }
    }

    /// The module in Sources that compiles the file.
    static func module(ofFile path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    private static func counts(in file: SourceFile, module: String) -> [ShapeCount] {
        var counts: [String: Int] = [:]
        for (index, scope) in DeclarationScope.ofLines(in: file).enumerated() {
            guard let type = scope, isStoredProperty(file.codeLines, index) else { continue }
            counts["\(module).\(type)", default: 0] += 1
        }
        return counts.map { ShapeCount(subject: $0, value: $1, path: file.path) }.sorted { $0.subject < $1.subject }
    }

    /// Whether the line declares a property that has a place in memory: no getter, or one with an initial value.
    private static func isStoredProperty(_ lines: [String], _ index: Int) -> Bool {
        let pattern = /^\s*(?:@\w+(?:\([^)]*\))?\s+|[a-z]+(?:\([a-z]+\))?\s+)*?(let|var)\s+\w+/
        let line = lines[index]
        guard line.contains("let ") || line.contains("var ") else { return false }
        guard let match = try? pattern.firstMatch(in: line), !match.output.0.contains("static ") else { return false }
        let rest = line[match.range.upperBound...]
        guard let brace = rest.firstIndex(of: "{") else { return true }
        if rest[..<brace].contains("=") { return true }
        let body = rest[brace...] + (index + 1 < lines.count ? lines[index + 1] : "")
        return body.contains("didSet") || body.contains("willSet")
    }
}

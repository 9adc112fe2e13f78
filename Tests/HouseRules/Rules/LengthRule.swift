/// Files stay short enough to be read in one go.
struct LengthRule: HouseRule {
    static let limit = 400
    static let readmeLimit = 150
    /// A file with more lines counts as long, of which there may be few.
    static let longLimit = 250

    func violations(in tree: SourceTree) -> [Violation] {
        tree.files.compactMap { file in
            let isReadme = file.path == "README.md"
            let isCode = [".swift", ".c", ".h", ".py", ".sh"].contains { file.path.hasSuffix($0) }
            let limit = isReadme ? Self.readmeLimit : Self.limit
            guard (isReadme || isCode) && !file.isFixture && file.lineCount > limit else { return nil }
            return Violation(path: file.path, reason: "has \(file.lineCount) lines; the limit is \(limit)")
        }
    }

    /// The Swift files that grow towards the limit, longest first.
    static func longFiles(in tree: SourceTree) -> [String] {
        tree.swiftFiles.filter { $0.lineCount > longLimit }.sorted { $0.lineCount > $1.lineCount }
            .map { "\($0.lineCount) \($0.path)" }
    }
}

/// One top-level type a file, named after it.
///
/// Extensions lie in `Type+Verb.swift`; small private companions are welcome.
struct OneTypeRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        tree.swiftFiles.filter { !$0.isFixture && $0.name != "Package.swift" }.flatMap(violations(in:))
    }

    private func violations(in file: SourceFile) -> [Violation] {
        let stem = String(file.name.dropLast(".swift".count))
        let base = String(stem.prefix { $0 != "+" })
        let declarations = TopLevelDeclaration.all(in: file).filter { !$0.isPrivate }
        let types = declarations.filter { !$0.isExtension }
        func violation(_ reason: String, _ line: Int?) -> Violation {
            Violation(path: file.path, line: line, reason: reason)
        }

        if stem.contains("+") {
            let own =
                declarations.contains { $0.isExtension && $0.name.split(separator: ".").last.map(String.init) == base }
                || declarations.contains { $0.isExtension && $0.name.hasPrefix(base) }
            return types.map { violation("declares \($0.name) in a file of extensions", $0.line) }
                + (own ? [] : [violation("does not extend \(base)", nil)])
        }
        if types.isEmpty {
            let extended = declarations.filter { $0.isExtension && $0.name != base }
            return extended.map { violation("extends \($0.name); name the file \($0.name)+Verb.swift", $0.line) }
        }
        if types.count == 1, let only = types.first {
            // `@main` may not stand in a file called main.swift, and executables have one entry point.
            let isEntryPoint = stem == "Main"
            return only.name == base || isEntryPoint
                ? [] : [violation("declares \(only.name), which the file is not named after", only.line)]
        }
        return types.filter { $0.name != base }.map { violation("declares \($0.name) beside \(base)", $0.line) }
    }
}

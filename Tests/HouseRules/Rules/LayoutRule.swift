/// The root folder stays as small as the architecture article shows it.
struct LayoutRule: HouseRule {
    static let allowed: Set<String> = ["Package.swift", "README.md", "Sources", "Tests", "systemd", "etc"]
    /// Made by the build and ignored by git.
    static let generated: Set<String> = ["Package.resolved"]

    func violations(in tree: SourceTree) -> [Violation] {
        tree.topLevelEntries
            .filter { !$0.hasPrefix(".") && !Self.allowed.contains($0) && !Self.generated.contains($0) }
            .map { Violation(path: $0, reason: "does not belong into the root folder") }
    }
}

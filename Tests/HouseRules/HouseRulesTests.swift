import Testing

@Suite struct HouseRulesTests {
    private static let rules: [any HouseRule] = [
        ManifestRule(), ImportRule(), NoSleepRule(), TopLevelRule(), MachinePathRule(), CommandBlockRule(),
    ]

    @Test(arguments: rules.indices)
    func everyFileKeepsTheRule(_ index: Int) throws {
        let rule = Self.rules[index]
        let tree = try SourceTree.ofThisPackage()
        try #require(tree.files.count > 50, "the package's files were not found")
        let violations = rule.violations(in: tree)
        if !violations.isEmpty {
            Issue.record("\(type(of: rule)):\n  \(violations.map(\.description).joined(separator: "\n  "))")
        }
    }
}

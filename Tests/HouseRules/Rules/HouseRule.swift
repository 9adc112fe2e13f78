/// Something that must hold for every file of the package.
protocol HouseRule: Sendable {
    func violations(in tree: SourceTree) -> [Violation]
}

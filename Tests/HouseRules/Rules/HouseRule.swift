protocol HouseRule: Sendable {
    func violations(in tree: SourceTree) -> [Violation]
}

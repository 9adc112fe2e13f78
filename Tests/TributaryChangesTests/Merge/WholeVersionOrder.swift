import TributaryChanges

struct WholeVersionOrder: VersionOrder {
    /// Whether writes with equal versions come from two clones of one writer.
    var hasClones = false

    func isOlder(_ first: Version, than second: Version) -> Bool { first < second }
    func areOfClones(_ first: Version, _ second: Version) -> Bool { hasClones && first == second }
}

import TributaryChanges

struct WholeVersionOrder: VersionOrder {
    func isOlder(_ first: Version, than second: Version) -> Bool { first < second }
}

import Testing
import TributaryChanges

@Suite("Version vectors")
struct VersionVectorTests {
    private let first = UniqueID(high: 0, low: 1)
    private let second = UniqueID(high: 0, low: 2)

    @Test("covers, unites, and knows nothing of strangers")
    func algebra() {
        var left = VersionVector([first: 3, second: 0])
        let right = VersionVector([first: 2, second: 5])
        #expect(left.entries == [first: 3])
        #expect(left[second] == 0)
        #expect(!left.covers(right) && !right.covers(left))
        left.formUnion(right)
        #expect(left == VersionVector([first: 3, second: 5]))
        #expect(left.covers(right))
        left[first] = 0
        #expect(left == VersionVector([second: 5]))
    }
}

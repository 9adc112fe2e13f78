import Testing
import TributaryChanges

@Suite("Version vectors")
struct VersionVectorTests {
    private let first = UniqueID(high: 0, low: 1)
    private let second = UniqueID(high: 0, low: 2)

    @Test("keeps only known writers")
    func knownWriters() {
        var left = VersionVector([first: 3, second: 0])
        #expect(left.entries == [first: 3])
        #expect(left[second] == 0)
        left[second] = 5
        #expect(left == VersionVector([first: 3, second: 5]))
        left[first] = 0
        #expect(left == VersionVector([second: 5]))
    }
}

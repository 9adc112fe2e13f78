import Testing
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Which baselines, with and without branches, cover which others.
@Suite struct BaselinePositionsTests {
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(2)
    private let left = BaselineFork.Segment(first: 3, last: 4, sha256: "left", previous: "stem")
    private let next = BaselineFork.Segment(first: 5, last: 5, sha256: "next", previous: "left")
    private let right = BaselineFork.Segment(first: 3, last: 6, sha256: "right", previous: "stem")

    private func positions(_ sequence: UInt64, _ hash: String?, _ fork: [BaselineFork.Segment] = [])
        -> BaselinePositions
    {
        BaselinePositions(
            vector: VersionVector([a: sequence, b: 7]),
            hashes: hash.map { [a: $0] } ?? [:],
            forks: fork.isEmpty ? [:] : [a: BaselineFork(start: 2, segments: fork)]
        )
    }

    @Test func aForkedLogCoversEachOfItsLines() {
        let forked = positions(6, "heads", [left, next, right])
        #expect(forked.covers(forked))
        for (sequence, hash) in [(2, "stem"), (1, nil), (4, "left"), (5, "next"), (6, "right")] {
            #expect(forked.covers(positions(UInt64(sequence), hash)), "\(sequence)")
            #expect(!positions(UInt64(sequence), hash).covers(forked), "\(sequence)")
        }
        #expect(!forked.covers(positions(4, "other")))
        #expect(!forked.covers(positions(4, nil)))
        #expect(forked.covers(positions(6, "fewer heads", [left, right])))
        #expect(!positions(6, "fewer heads", [left, right]).covers(forked))
        #expect(!positions(9, "long").covers(forked))
    }

    @Test func otherContentUpToOneTransactionIsNotCovered() {
        #expect(!positions(4, "left").covers(positions(4, "right")))
        #expect(positions(4, "left").covers(positions(4, nil)))
        #expect(positions(5, "next").covers(positions(4, "left")))
    }

    @Test func theLineToABaselineHasNoOtherBranch() {
        let forked = positions(6, "heads", [left, next, right])
        #expect(forked.line(to: positions(5, "next"), of: a)?.segments == [left, next])
        #expect(forked.line(to: positions(2, "stem"), of: a) == nil)
        #expect(forked.line(to: forked, of: a) == forked.forks[a])
        #expect(forked.line(to: forked, of: b) == nil)
        #expect(forked.mayBegin(with: positions(2, "stem"), on: forked))
        #expect(!forked.mayBegin(with: positions(4, "left"), on: forked))
        #expect(forked.mayBegin(with: positions(4, "left"), on: positions(5, "next")))
        #expect(!forked.mayBegin(with: positions(4, "left"), on: positions(6, "right")))
        #expect(forked.mayBegin(with: positions(6, "fewer", [left, right]), on: forked))
    }
}

import TestSupport
import Testing
import TributaryChanges

/// How stores take over the branches that a baseline names, from whatever part of them they have.
@Suite struct BaselineForkTests {
    private typealias Segment = BaselineFork.Segment

    /// A random tree of segments: each follows another one, or the sequence 5, with which the fork begins.
    private static func tree(_ count: Int, _ generator: inout SeededGenerator) -> [Segment] {
        var segments: [Segment] = []
        var leaves = 1
        for number in 0..<count {
            let parents = [(last: UInt64(5), hash: "stem")] + segments.map { (last: $0.last, hash: $0.sha256) }
            let (last, hash) = parents.randomElement(using: &generator) ?? parents[0]
            let isLeaf = !segments.contains { $0.previous == hash }
            // More lines than the limit are another test's business.
            guard isLeaf || leaves < 12 else { continue }
            if !isLeaf { leaves += 1 }
            let next = Segment(
                first: last + 1,
                last: last + UInt64.random(in: 1...3, using: &generator),
                sha256: "\(number)",
                previous: hash
            )
            segments.append(next)
        }
        return segments
    }

    private struct Store {
        var lines = [BaselineFork.Line(branch: "", sequence: 5, hash: "stem")]
        var recorded: Set<String> = []

        /// Applies a segment as it comes: it follows a line's end, or begins a branch.
        mutating func apply(_ segment: Segment) {
            recorded.insert(segment.sha256)
            if let index = lines.firstIndex(where: { $0.hash == segment.previous }) {
                (lines[index].sequence, lines[index].hash) = (segment.last, segment.sha256)
            } else {
                lines.append(.init(branch: segment.sha256, sequence: segment.last, hash: segment.sha256))
            }
        }

        mutating func take(_ additions: [BaselineFork.Addition]) {
            for addition in additions {
                recorded.insert(addition.segment.sha256)
                guard addition.moves else { continue }
                if addition.begins {
                    lines.append(.init(branch: addition.branch, sequence: 0, hash: addition.segment.previous))
                }
                guard let index = lines.firstIndex(where: { $0.branch == addition.branch }) else { continue }
                (lines[index].sequence, lines[index].hash) = (addition.segment.last, addition.segment.sha256)
            }
        }

        /// The hashes with which lines end that no segment follows.
        func ends(_ segments: [Segment]) -> Set<String> {
            Set(lines.compactMap(\.hash)).subtracting(segments.map(\.previous))
        }
    }

    @Test func aStoreWithAPartOfTheBranchesTakesTheRest() throws {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        for round in 0..<400 {
            let segments = Self.tree(.random(in: 1...12, using: &generator), &generator)
            let fork = BaselineFork(start: 5, segments: segments)
            var store = Store()
            for segment in segments
            where (segment.previous == "stem" || store.recorded.contains(segment.previous))
                && Bool.random(using: &generator)
            {
                store.apply(segment)
            }
            // A store that has joined a baseline of one line knows where it ends, not its segments.
            let leaves = Set(segments.map(\.sha256)).subtracting(segments.map(\.previous))
            if store.lines.count == 1, leaves.count > 1, Bool.random(using: &generator) { store.recorded = [] }
            let additions = try #require(fork.additions(to: store.lines, recorded: store.recorded))
            store.take(additions)
            let comment: Comment = "seed \(generator.seed), round \(round): \(segments)"
            #expect(store.recorded == Set(segments.map(\.sha256)), comment)
            #expect(store.ends(segments) == leaves, comment)
            #expect(fork.additions(to: store.lines, recorded: store.recorded) == [], comment)
            let part = BaselineFork(start: 5, segments: segments.filter { store.recorded.contains($0.sha256) })
            #expect(fork.covers(part), comment)
        }
    }

    @Test func aNewStoreBuildsAllLines() throws {
        let segments = [
            Segment(first: 6, last: 7, sha256: "a", previous: "stem"),
            Segment(first: 8, last: 8, sha256: "b", previous: "a"),
            Segment(first: 6, last: 9, sha256: "c", previous: "stem"),
            Segment(first: 8, last: 9, sha256: "d", previous: "a"),
        ]
        let fork = BaselineFork(start: 5, segments: segments)
        let new = BaselineFork.Line(branch: "", sequence: 0, hash: nil)
        let additions = try #require(fork.additions(to: [new], recorded: []))
        let found = additions.map { "\($0.branch.isEmpty ? "-" : $0.branch) \($0.segment.sha256) \($0.begins)" }
        #expect(found == ["- a false", "c c true", "- b false", "d d true"])
        #expect(fork.line(to: "d")?.map(\.sha256) == ["a", "d"])
        #expect(fork.line(to: "x") == nil)
    }

    @Test func aStoreWithAnotherBranchTakesNothing() {
        let fork = BaselineFork(start: 5, segments: [Segment(first: 6, last: 7, sha256: "a", previous: "stem")])
        let other = BaselineFork.Line(branch: "x", sequence: 8, hash: "x")
        let main = BaselineFork.Line(branch: "", sequence: 5, hash: "stem")
        #expect(fork.additions(to: [main, other], recorded: ["x"]) == nil)
        // A part of a segment past the fork belongs to nobody knows which.
        #expect(fork.additions(to: [.init(branch: "", sequence: 6, hash: "stem")], recorded: []) == nil)
        // It has everything, and more.
        let ahead = BaselineFork.Line(branch: "", sequence: 7, hash: "a")
        #expect(fork.additions(to: [ahead, other], recorded: ["a", "x"]) == [])
    }

    @Test func noStoreHasMoreLinesThanTheLimit() {
        let segments = (0...BaselineFork.lineLimit).map {
            Segment(first: 1, last: 1, sha256: "\($0)", previous: "")
        }
        let new = BaselineFork.Line(branch: "", sequence: 0, hash: nil)
        #expect(BaselineFork(start: 0, segments: segments).additions(to: [new], recorded: []) == nil)
        let fewer = BaselineFork(start: 0, segments: Array(segments.dropLast()))
        #expect(fewer.additions(to: [new], recorded: [])?.count == BaselineFork.lineLimit)
    }
}

import Testing
import TransactionLog
import TributaryChanges
import TributarySync

/// Segments without an end line whose grace is over.
@Suite struct ImportPlannerGraceTests {
    private let id = PlannerBench.name(PlannerBench.a, 1, 1)

    @Test func aSegmentThatHasGrownWithoutAnEventIsNotDamaged() {
        var bench = PlannerBench()
        bench.put(id, .incomplete(reason: "No end line.", line: 2))
        bench.settle()
        bench.wall = bench.wall.later(by: .milliseconds(60_000))
        // The file that was read is not the file that was listed.
        bench.content[id] = .changed
        bench.settle()
        #expect(bench.state(id) != .damaged && bench.verified == [id, id])
        bench.put(id, .incomplete(reason: "No end line.", line: 9))
        #expect(bench.settle() == bench.wall.later(by: .milliseconds(60_000)))
        bench.wall = bench.wall.later(by: .milliseconds(59_999))
        bench.settle()
        #expect(bench.state(id) == .incomplete && bench.verified.count == 3)
    }

    @Test func oneThatHasNotGrownIsReadOnceMoreAndNotAgain() {
        var bench = PlannerBench()
        bench.put(id, .incomplete(reason: "No end line.", line: 2))
        bench.settle()
        for _ in 0..<3 {
            bench.wall = bench.wall.later(by: .milliseconds(60_000))
            #expect(bench.settle() == nil)
            #expect(bench.state(id) == .damaged)
        }
        #expect(bench.verified == [id, id])
    }
}

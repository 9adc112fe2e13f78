import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// Segments of one writer with any bounds: what is applied is skipped, and compared.
@Suite struct ImportPlannerOverlapTests {
    private let a = PlannerBench.a
    private let b = PlannerBench.b

    private func name(_ writer: UniqueID, _ first: UInt64, _ last: UInt64) -> SegmentName {
        PlannerBench.name(writer, first, last)
    }

    @Test func segmentsThatOverlapAreAppliedInAnyOrderOfArrival() {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        for round in 0..<300 {
            var bench = PlannerBench()
            var names: Set<SegmentName> = []
            // Bounds of two programs that cut the same transactions, each its own way.
            for _ in 0..<2 {
                var first: UInt64 = 1
                while first <= 12 {
                    let last = min(12, first + UInt64.random(in: 0...5, using: &generator))
                    names.insert(name(a, first, last))
                    first = last + 1
                }
            }
            for name in names.shuffled(using: &generator) {
                bench.put(name)
                if generator.next() % 4 == 0 { bench.put(copyOf: name) }
                if generator.next() % 2 == 0 { bench.settle() }
            }
            bench.settle()
            bench.scan(a)
            let text = "seed \(generator.seed), round \(round): \(bench.planner.statuses(wall: bench.wall))"
            #expect(bench.planner.position(of: a).sequence == 12, "\(text)")
            #expect(bench.planner.counts(wall: bench.wall) == [.applied: names.count], "\(text)")
            #expect(Set(bench.applied).count == bench.applied.count, "\(text)")
            #expect(Set(bench.compared).count == bench.compared.count, "\(text)")
        }
    }

    @Test func aSegmentOfWhichAPartIsAppliedGoesOn() {
        var bench = PlannerBench()
        let unmet = SegmentSummary.UnmetDependencies(sequence: 3, needs: [b: 1])
        bench.put(name(a, 1, 4), PlannerBench.valid(name(a, 1, 4), unmet: unmet))
        bench.settle()
        bench.put(name(a, 3, 5), PlannerBench.valid(name(a, 3, 5), unmet: unmet))
        bench.put(name(b, 1, 1))
        bench.settle()
        #expect(bench.applied == [name(b, 1, 1), name(a, 1, 4), name(a, 3, 5)])
        // What is applied in part needs no comparison; the other one is read again when the position is past its first.
        #expect(bench.verified.count { $0 == name(a, 1, 4) } == 1)
        #expect(bench.verified.count { $0 == name(a, 3, 5) } == 2)
    }

    @Test func aWriterFollowsWhatItGoesOnFromEvenWhenThatIsAbandoned() throws {
        var bench = PlannerBench()
        let after = Incarnation.Predecessor(writer: a, sequence: 2)
        bench.put(name(b, 1, 2), PlannerBench.valid(name(b, 1, 2), after: after))
        bench.put(name(a, 1, 1))
        bench.settle()
        bench.planner.abandoned = [a]
        bench.settle()
        let status = try #require(bench.status(name(b, 1, 2)))
        #expect(status.state == .waiting)
        #expect(status.waitingFor == [.transactions(writer: a, from: 2, through: 2)])
        #expect(status.hint?.contains("abandon") == false && status.reason.contains("goes on from \(a)"))
        #expect(bench.planner.gaps(wall: bench.wall).map(\.id) == [name(b, 1, 2)])
        bench.put(name(a, 2, 2))
        bench.settle()
        #expect(bench.planner.position(of: b).sequence == 2)
    }

    /// A baseline of the store covers what the writer goes on from, and more of the writer itself.
    @Test func onlyTheFirstTransactionFollows() {
        var bench = PlannerBench()
        bench.planner.setPosition(WriterPosition(sequence: 1), of: b)
        let after = Incarnation.Predecessor(writer: a, sequence: 2)
        bench.put(name(b, 1, 2), PlannerBench.valid(name(b, 1, 2), after: after))
        bench.settle()
        #expect(bench.planner.position(of: b).sequence == 2)
    }

    @Test func otherContentBlocksOnlyWhatFollowsIt() throws {
        var bench = PlannerBench()
        bench.put(name(a, 1, 3))
        bench.settle()
        bench.others[name(a, 2, 5).path] = 3
        bench.put(name(a, 2, 5))
        bench.put(name(a, 6, 6))
        bench.put(name(b, 1, 1))
        bench.settle()
        #expect(bench.applied == [name(a, 1, 3), name(b, 1, 1)])
        let status = try #require(bench.status(name(a, 2, 5)))
        #expect(status.state == .forked && status.reason.contains("transaction 3"))
        #expect(status.hint?.contains(a.description) == true)
        #expect(bench.state(name(a, 6, 6)) == .waiting && bench.planner.forkedWriters == [a])
        // The right one goes on.
        bench.put(name(a, 4, 5))
        bench.settle()
        #expect(bench.planner.position(of: a).sequence == 6)
        #expect(bench.status(name(a, 2, 5))?.state == .forked)
    }

    /// A file with other content that comes late is told as well, without being applied.
    @Test func aSegmentThatIsCoveredIsCompared() throws {
        var bench = PlannerBench()
        bench.others[name(a, 2, 2).path] = 2
        bench.put(name(a, 1, 3))
        bench.put(name(a, 2, 2))
        bench.put(name(a, 3, 3))
        bench.settle()
        #expect(bench.applied == [name(a, 1, 3)])
        #expect(bench.compared.map(\.id).sorted() == [name(a, 2, 2), name(a, 3, 3)])
        #expect(bench.planner.counts(wall: bench.wall)[.forked] == 1)
        let isKnown = bench.planner.retry(name(a, 2, 2))
        #expect(isKnown)
        bench.others = [:]
        bench.settle()
        #expect(bench.planner.counts(wall: bench.wall)[.forked] == nil && bench.planner.forkedWriters.isEmpty)
    }

    @Test func aConflictCopyIsComparedWhenThePositionCoversIt() {
        var bench = PlannerBench()
        let equal = bench.put(copyOf: name(a, 2, 3))
        let other = bench.put(copyOf: name(a, 2, 3), other: 3)
        bench.put(name(a, 1, 2))
        bench.settle()
        #expect(bench.compared.isEmpty && bench.planner.counts(wall: bench.wall) == [.applied: 1])
        bench.put(name(a, 3, 3))
        bench.settle()
        bench.scan(a)
        bench.settle()
        #expect(Set(bench.compared) == [equal, other] && bench.compared.count == 2)
        let forked = bench.planner.statuses(wall: bench.wall).filter { $0.state == .forked }
        #expect(forked.map(\.file) == [other.path])
        // It is gone when the file is.
        bench.unusableFiles[a] = []
        bench.scan(a)
        #expect(bench.planner.forkedWriters.isEmpty)
    }
}

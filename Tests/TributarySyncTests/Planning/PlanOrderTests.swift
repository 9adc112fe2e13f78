import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// Writers that wait for each other: what is planned does not depend on the order of the writers, and neither does its
/// cost.
@Suite(.timeLimit(.minutes(30))) struct PlanOrderTests {
    enum Order: CaseIterable { case given, reversed, random }
    enum Link: CaseIterable { case after, seen }

    /// So many writers of one segment each, in the order of a chain, in which each but the first waits for the one before.
    private func chain(_ count: Int, _ order: Order, _ link: Link) -> (bench: PlannerBench, chain: [SegmentName]) {
        var ids = (1...count).map { UniqueID(high: 0xAAAA, low: UInt64($0)) }
        switch order {
        case .given: break
        case .reversed: ids.reverse()
        case .random:
            var generator = SeededGenerator.printingSeed()
            ids.shuffle(using: &generator)
        }
        var bench = PlannerBench()
        let chain = ids.map { PlannerBench.name($0, 1, 1) }
        for (index, name) in chain.enumerated() {
            let former = index == 0 ? nil : ids[index - 1]
            let after = former.map { Incarnation.Predecessor(writer: $0, sequence: 1) }
            let unmet = former.map { SegmentSummary.UnmetDependencies(sequence: 1, needs: [$0: 1]) }
            bench.put(
                name,
                PlannerBench.valid(name, unmet: link == .seen ? unmet : nil, after: link == .after ? after : nil)
            )
        }
        return (bench, chain)
    }

    @Test(arguments: Order.allCases, Link.allCases)
    func aChainIsAppliedInOneBatchInItsOrder(order: Order, link: Link) {
        var (bench, chain) = chain(500, order, link)
        bench.settle()
        #expect(bench.batches == 1)
        #expect(bench.applied == chain)
    }

    /// Reading, applying and the end are a look each, and so is each wait.
    @Test(arguments: Order.allCases, Link.allCases)
    func theLooksGrowWithTheSegmentsAndLinks(order: Order, link: Link) {
        for count in [250, 500, 1_000] {
            var (bench, _) = chain(count, order, link)
            bench.settle()
            #expect(bench.planner.looks <= 5 * count, "\(count) writers")
        }
    }

    /// Each segment waits for transactions of many writers, which come one after the other.
    @Test func aWriterThatWaitsForManyIsWokenOnce() {
        var (bench, chain) = chain(500, .random, .after)
        let last = PlannerBench.name(UniqueID(high: 0, low: 1), 1, 1)
        let needs = Dictionary(uniqueKeysWithValues: chain.map { ($0.writer, UInt64(1)) })
        bench.put(last, PlannerBench.valid(last, unmet: SegmentSummary.UnmetDependencies(sequence: 1, needs: needs)))
        bench.settle()
        #expect(bench.applied == chain + [last])
        #expect(bench.planner.looks <= 5 * 501)
    }

    /// Segments of one writer that hold the same transaction, each of which waits for another writer.
    @Test func overlappingSegmentsThatWaitAreLookedAtFewTimesEach() {
        for count in [125, 250, 500] as [UInt64] {
            var bench = PlannerBench()
            let first = UniqueID(high: 0xA, low: 0)
            for number in 1...count {
                let other = PlannerBench.name(UniqueID(high: 0xAAAA, low: number), 1, 1)
                bench.put(other)
                let name = PlannerBench.name(first, 1, number)
                let unmet = SegmentSummary.UnmetDependencies(sequence: 1, needs: [other.writer: 1])
                bench.put(name, PlannerBench.valid(name, unmet: unmet))
            }
            bench.settle()
            #expect(bench.planner.position(of: first).sequence == count)
            #expect(bench.planner.segmentLooks <= 30 * Int(count), "\(count) segments")
        }
    }

    @Test func aSegmentThatIsPlannedInPartGoesOnInTheSamePlan() {
        var bench = PlannerBench()
        let (a, b) = (PlannerBench.a, PlannerBench.b)
        let segments = [PlannerBench.name(a, 1, 2), PlannerBench.name(a, 3, 3), PlannerBench.name(b, 1, 1)]
        let unmet = SegmentSummary.UnmetDependencies(sequence: 2, needs: [b: 1])
        bench.put(segments[0], PlannerBench.valid(segments[0], unmet: unmet))
        for name in segments[1...] { bench.put(name) }
        bench.settle()
        #expect(bench.batches == 1 && Set(bench.applied) == Set(segments))
    }

    @Test func randomGraphsArePlannedAsByAFixpoint() {
        let first = SeededGenerator.printingSeed().seed
        for round in LongProofs.rounds(400) {
            let seed = first &+ UInt64(round)
            var generator = SeededGenerator(seed: seed)
            var graph = RandomGraph(&generator)
            var simple = graph
            simple.bench.plansByFixpoint = true
            for step in 0..<4 {
                var again = generator
                graph.change(&generator)
                simple.change(&again)
                graph.expectPlanOfFixpoint("seed \(seed), step \(step)")
                graph.bench.settle()
                simple.bench.settle()
                #expect(graph.bench.planner.positions == simple.bench.planner.positions, "seed \(seed), step \(step)")
                #expect(
                    graph.bench.planner.statuses(wall: graph.bench.wall)
                        == simple.bench.planner.statuses(wall: simple.bench.wall),
                    "seed \(seed), step \(step)"
                )
            }
        }
    }
}

/// Some writers with segments of any bounds that wait for each other, in cycles as well, or that cannot be used.
private struct RandomGraph {
    var bench = PlannerBench()
    private let writers: [UniqueID]
    /// Whether several segments may hold one transaction: which of them a plan takes depends on the order, and where they
    /// end together does not.
    private let overlaps: Bool

    init(_ generator: inout SeededGenerator) {
        writers = (1...UInt64.random(in: 2...6, using: &generator)).map { UniqueID(high: 0xAAAA, low: $0) }
        overlaps = Bool.random(using: &generator)
        bench.planner.abandoned = generator.next() % 4 == 0 ? [writers[0]] : []
    }

    /// Segments come, a baseline moves a writer, time passes.
    mutating func change(_ generator: inout SeededGenerator) {
        for _ in 0..<UInt64.random(in: 1...8, using: &generator) { put(&generator) }
        if generator.next() % 3 == 0, let writer = writers.randomElement(using: &generator) {
            let sequence = bench.planner.position(of: writer).sequence + .random(in: 1...3, using: &generator)
            bench.planner.setPosition(WriterPosition(sequence: sequence), of: writer)
            bench.scan(writer)
        }
        if generator.next() % 4 == 0 { bench.wall = bench.wall.later(by: .seconds(7_200)) }
    }

    private mutating func put(_ generator: inout SeededGenerator) {
        let writer = writers[Int(generator.next() % UInt64(writers.count))]
        let place = UInt64.random(in: 1...6, using: &generator)
        let (first, rest) = overlaps ? (place, UInt64.random(in: 0...2, using: &generator)) : ((place / 2) * 2 + 1, 1)
        let name = PlannerBench.name(writer, first, first + rest)
        bench.others[name.path] = generator.next() % 16 == 0 ? first : nil
        bench.put(name, content(name, &generator))
    }

    private func content(_ name: SegmentName, _ generator: inout SeededGenerator) -> VerificationResult {
        switch generator.next() % 16 {
        case 0: return .bad(.rejected, reason: "Not JSON.", line: 1)
        case 1: return .bad(.held, reason: "Its key is missing.", line: nil)
        case 2: return .incomplete(reason: "No end line.", line: nil)
        case 3: return PlannerBench.valid(name, clock: bench.wall.later(by: .seconds(10_000)))
        case 4: return PlannerBench.valid(name, blobs: ["x"])
        default:
            let unmet = SegmentSummary.UnmetDependencies(
                sequence: .random(in: name.first...name.last, using: &generator),
                needs: needs(of: name.writer, &generator)
            )
            let after = needs(of: name.writer, &generator).min { $0.key < $1.key }.map {
                Incarnation.Predecessor(writer: $0.key, sequence: $0.value)
            }
            return PlannerBench.valid(
                name,
                unmet: unmet.needs.isEmpty ? nil : unmet,
                after: name.first == 1 ? after : nil
            )
        }
    }

    private func needs(of writer: UniqueID, _ generator: inout SeededGenerator) -> [UniqueID: UInt64] {
        var needs: [UniqueID: UInt64] = [:]
        for other in writers where other != writer && generator.next() % 4 == 0 {
            needs[other] = .random(in: 1...6, using: &generator)
        }
        return needs
    }

    func expectPlanOfFixpoint(_ place: String) {
        guard !overlaps else { return }
        let planner = bench.planner
        let plan = planner.plan(from: SupposedPositions(known: planner.positions), planner.limits, wall: bench.wall)
        let expected = bench.fixpoint()
        #expect(Set(plan.runs.map(\.id)) == Set(expected.runs.map(\.id)), "\(place)")
        #expect(Set(plan.toRead.map(\.id)) == Set(expected.toRead.map(\.id)), "\(place)")
        for writer in writers { #expect(plan.positions[writer] == expected.positions[writer], "\(place)") }
        #expect(plan.runs.count == Set(plan.runs.map(\.id)).count, "\(place)")
    }
}

import TestSupport
import Testing
import TributaryChanges

/// Two writes are a conflict exactly when neither writer had seen the other's.
@Suite struct CausalityTests {
    private struct Write {
        var origin: WriteOrigin<Int>
        /// All writes that the writer had applied, its own included.
        var known: Set<WriteOrigin<Int>>
        /// The transactions that its writer had acknowledged by then; nil for none.
        var seen: [Int: UInt64]?
    }

    /// The writes of replicas that apply each other's writes in causal order, at random moments.
    private static func history(replicas: Int, steps: Int, using generator: inout SeededGenerator) -> [Write] {
        var writes: [Write] = []
        var known = [Set<WriteOrigin<Int>>](repeating: [], count: replicas)
        for _ in 0..<steps {
            let replica = Int.random(in: 0..<replicas, using: &generator)
            if Bool.random(using: &generator) {
                let sequence = UInt64(known[replica].count { $0.writer == replica } + 1)
                let origin = WriteOrigin(writer: replica, sequence: sequence)
                let others = Dictionary(grouping: known[replica].filter { $0.writer != replica }, by: \.writer)
                let seen = others.mapValues { $0.map(\.sequence).max() ?? 0 }
                known[replica].insert(origin)
                writes.append(Write(origin: origin, known: known[replica], seen: seen.isEmpty ? nil : seen))
            } else {
                let next = writes.filter { write in
                    !known[replica].contains(write.origin)
                        && write.known.subtracting([write.origin]).isSubset(of: known[replica])
                }
                if let write = next.randomElement(using: &generator) { known[replica].insert(write.origin) }
            }
        }
        return writes
    }

    @Test func `the decision is the one of the causal history, whatever the order of arrival`() {
        var generator = SeededGenerator.printingSeed()
        var counts: [Causality: Int] = [:]
        for round in 0..<200 {
            var rest = Self.history(replicas: 4, steps: 40, using: &generator)
            var applied: [Write] = []
            while !rest.isEmpty {
                let ready = rest.indices.filter { index in
                    rest[index].known.subtracting([rest[index].origin]).isSubset(of: Set(applied.map(\.origin)))
                }
                guard let index = ready.randomElement(using: &generator) else { break }
                let arriving = rest.remove(at: index)
                for earlier in applied {
                    let found = Causality(
                        of: arriving.origin,
                        after: earlier.origin,
                        hasSeen: arriving.seen.map { $0[earlier.origin.writer] ?? 0 >= earlier.origin.sequence },
                        isOwnObject: true
                    )
                    let isConcurrent =
                        !arriving.known.contains(earlier.origin) && !earlier.known.contains(arriving.origin)
                    counts[found, default: 0] += 1
                    let place = "seed \(generator.seed), round \(round): \(arriving.origin) after \(earlier.origin)"
                    #expect(found == (isConcurrent ? .concurrent : .follows), "\(place)")
                }
                applied.append(arriving)
            }
        }
        #expect(counts[.concurrent, default: 0] > 1_000 && counts[.follows, default: 0] > 1_000)
    }

    @Test func `a writer that never acknowledges is known to have seen nothing only of its own objects`() {
        let (arriving, applied) = (WriteOrigin(writer: 1, sequence: 5), WriteOrigin(writer: 2, sequence: 3))
        func decide(_ hasSeen: Bool?, own: Bool) -> Causality {
            Causality(of: arriving, after: applied, hasSeen: hasSeen, isOwnObject: own)
        }
        #expect(decide(nil, own: false) == .unknown)
        #expect(decide(nil, own: true) == .concurrent)
        #expect(decide(false, own: false) == .concurrent)
        #expect(decide(true, own: true) == .follows)
    }

    @Test func `the journal gets what is lost for certain`() {
        #expect(!Causality.follows.isConflict(isArrivingLost: true))
        #expect(!Causality.follows.isConflict(isArrivingLost: false))
        #expect(Causality.concurrent.isConflict(isArrivingLost: true))
        #expect(Causality.concurrent.isConflict(isArrivingLost: false))
        #expect(Causality.unknown.isConflict(isArrivingLost: true))
        #expect(!Causality.unknown.isConflict(isArrivingLost: false))
    }
}

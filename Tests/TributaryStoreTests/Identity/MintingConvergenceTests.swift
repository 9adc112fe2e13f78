import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A store that has become another writer has the state of a store that applies what both writers publish.
@Suite struct MintingConvergenceTests {
    @Test func `a peer that applies both writers has the same state`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let seed = generator.seed
        print("TRIBUTARY_SEED=\(seed)")
        for round in LongProofs.rounds(8) {
            let model = try MintingConvergenceTests.model()
            let replica = try Replica(model)
            var world = World(round: round)
            var exported = ExportedWriter()
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                try world.run(replica, steps: Int.random(in: 4...14, using: &generator), &exported, &generator)
                let before = try replica.dump().split(separator: "\n").filter { $0.contains(" shows ") }
                let minted = try replica.store.write { try $0.writerChanges.mintWriter() }
                // The values that readers see stay.
                let after = try replica.dump().split(separator: "\n").filter { $0.contains(" shows ") }
                #expect(before == after, "seed \(seed), round \(round)")
                #expect(try replica.store.read { try $0.writers.own().id } == minted.new)
            }
            try world.run(replica, steps: Int.random(in: 0...5, using: &generator), &exported, &generator)
            try exported.publish(replica)
            let peer = try Replica(model)
            try peer.apply((world.foreign + exported.transactions).interleaved(using: &generator))
            let (first, second) = (try replica.dump(), try peer.dump())
            if first != second {
                let lines = second.split(separator: "\n").difference(from: first.split(separator: "\n"))
                Issue.record("seed \(seed), round \(round)\n\(lines)\n\(world.foreign)\n\(exported.transactions)")
                return
            }
            #expect(try replica.digest() == peer.digest(), "seed \(seed), round \(round)")
        }
    }

    private static func model() throws -> Model {
        var entities = SampleModel.definitions
        entities[1].attributes += [
            SampleModel.attribute("score", .double, rule: .counter),
            SampleModel.attribute("share", .float, rule: .counter),
            SampleModel.attribute("small", .integer16, default: .integer(7), rule: .counter),
        ]
        return try Model(version: "1", entities: entities)
    }

    /// Random local saves, imports and exports; clocks are from a coarse grid that all writers share.
    private struct World {
        let round: Int
        private(set) var foreign: [ForeignTransaction] = []
        private var sequences: [Int: UInt64] = [:]
        private var ticks: [Int: UInt64] = [:]

        init(round: Int) {
            self.round = round
        }

        mutating func run(
            _ replica: Replica,
            steps: Int,
            _ exported: inout ExportedWriter,
            _ generator: inout SeededGenerator
        ) throws {
            for _ in 0..<steps {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: try exported.publish(replica, limit: Int.random(in: 1...3, using: &generator))
                case 1, 2, 3: try importNext(into: replica, &generator)
                default:
                    let changes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in World.change(&generator) }
                    // The store refuses what its model or its state does not allow.
                    try? replica.store.write { _ = try $0.commit(LocalTransaction(changes: changes)) }
                }
            }
        }

        private mutating func importNext(into replica: Replica, _ generator: inout SeededGenerator) throws {
            let writer = Int.random(in: 1...3, using: &generator)
            let sequence = (sequences[writer] ?? 0) + 1
            // The clock of the replica counts up from its wall time, so that clocks of the two meet.
            let tick = (ticks[writer] ?? 0) + UInt64.random(in: 1...3, using: &generator)
            (sequences[writer], ticks[writer]) = (sequence, tick)
            let changes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in World.change(&generator) }
            var transaction = ForeignTransaction(writer, sequence, clock: 0, changes)
            // Writers before and after those that the replica may have.
            let place: UInt64 =
                writer == 1 ? 0x0000_0000_0000_7000 : writer == 2 ? 0xFFFF_0000_0000_7000 : 0x018B_CFE5_6800_7800
            transaction.writer = UniqueID(high: place, low: 0x8000_0000_0000_0000 | UInt64(writer))
            transaction.header.clock = HybridClock(rawValue: HybridClock(Replica.now).rawValue + tick)
            foreign.append(transaction)
            try replica.apply(transaction)
        }

        private static func change(_ generator: inout SeededGenerator) -> Change {
            let person = Int.random(in: 1...3, using: &generator)
            func fraction() -> JSONValue {
                .double([0.1, 0.2, 0.7, 1e16, -1e16].randomElement(using: &generator) ?? 0)
            }
            func by(_ amount: JSONValue) -> JSONValue { .object([JSONMember(key: "increment", value: amount)]) }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: return .insert("Employee", person, ["score": fraction(), "small": 3, "passport": .to(21)])
            case 1, 2: return .update("Employee", person, ["score": fraction(), "share": fraction()])
            case 3: return .update("Employee", person, ["score": by(fraction()), "small": by(2)])
            case 4: return .update("Employee", person, ["small": 1, "visits": 4])
            default: return RandomSchedule.change(&generator)
            }
        }
    }
}

import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Replicas that exchange random histories over a folder end with equal digests and rows.
@Suite(.timeLimit(.minutes(60)), .watcherTurns) struct ExchangeFuzzTests {
    @Test func replicasThatExchangeRandomHistoriesEndEqual() async {
        let first = SeededGenerator.printingSeed().seed
        for round in LongProofs.rounds(6) {
            let seed = first &+ UInt64(round)
            do {
                try await ExchangeFuzz.run(seed: seed)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
}

/// Replicas with stores, services and real segments in one folder write a random history.
///
/// Some of the replicas get the larger model late.
final class ExchangeFuzz {
    struct Divergence: Error, CustomStringConvertible {
        var description: String
    }

    private let logs: LogsFolder
    private let wall = SyncWall()
    private let models: [Model]
    private var generator: ChangeGenerator
    private var replicas: [SyncReplica] = []
    private var versions: [Int] = []
    /// The last transactions of foreign writers, which have no store.
    private var produced: [TransactionHeader?] = [nil, nil]

    init(seed: UInt64) throws {
        logs = try LogsFolder()
        generator = ChangeGenerator(SeededGenerator(seed: seed))
        models = try [Model(yaml: SimulationModel.text), Model(yaml: SimulationModel.grownText)]
    }

    /// Plays the history of a seed and compares the replicas with one that had the larger model from the beginning.
    static func run(seed: UInt64) async throws {
        let fuzz = try ExchangeFuzz(seed: seed)
        for _ in 0..<2 { try await fuzz.add(version: fuzz.generator.number(0...3) == 0 ? 1 : 0) }
        for _ in 0..<fuzz.generator.number(12...30) { try await fuzz.step() }
        try await fuzz.exchange()
        if fuzz.versions[0] == fuzz.versions[1] { try fuzz.compare() }
        for index in fuzz.replicas.indices where fuzz.versions[index] == 0 { try await fuzz.upgrade(index) }
        try await fuzz.add(version: 1)
        try await fuzz.exchange()
        try fuzz.compare()
        for replica in fuzz.replicas { try await replica.stop() }
    }

    private func add(version: Int) async throws {
        replicas.append(try await SyncReplica(logs.path, wall: wall, name: "shop", model: models[version]))
        versions.append(version)
    }

    private func step() async throws {
        let index = generator.number(0...(replicas.count - 1))
        switch generator.number(0...19) {
        case 0...7: save(index)
        case 8...12: try produce(generator.number(0...(produced.count - 1)))
        case 13...17: _ = try await replicas[index].service.sync()
        case 18: if versions[index] == 0, generator.number(0...1) == 0 { try await upgrade(index) }
        default: wall.advance(milliseconds: 1000)
        }
    }

    /// Saves random changes; a save that the store refuses has no effect.
    private func save(_ index: Int) {
        _ = try? replicas[index].save(generator.changes(isKnown: true))
    }

    /// Puts a foreign writer's segment of one or two transactions into the folder.
    private func produce(_ index: Int) throws {
        let transactions = (0..<generator.number(1...2)).map { _ in
            let changes = generator.changes(isKnown: false)
            let last = produced[index]
            let header = TransactionHeader(
                sequence: (last?.sequence ?? 0) + 1,
                clock: (last?.clock ?? .zero).next(at: wall.now),
                changeCount: changes.count
            )
            produced[index] = header
            return LogTransaction(header: header, changes: changes)
        }
        try logs.put(SegmentText(writer: LogsFolder.writer(index == 0 ? 1 : .max >> 1), transactions))
    }

    private func upgrade(_ index: Int) async throws {
        let old = replicas[index]
        try await old.stop()
        versions[index] = 1
        replicas[index] = try await SyncReplica(
            logs.path,
            wall: wall,
            folder: old.folder,
            name: "shop",
            model: models[1]
        )
    }

    /// Lets each replica import the transactions of all others: exports come before the imports of the next round.
    private func exchange() async throws {
        for _ in 0..<2 {
            for replica in replicas { _ = try await replica.service.sync() }
        }
    }

    private func compare() throws {
        let states = try replicas.map { replica in
            try replica.store.read { reader in
                let digest = try reader.mergeState.digest()
                return (
                    digest: digest.digest, vector: digest.vector.mapValues(\.sequence),
                    rows: try reader.mergeState.dump().split(separator: "\n").map(String.init)
                )
            }
        }
        for (index, state) in states.enumerated().dropFirst() {
            // The vectors of the others do not contain a replica that has only read.
            let counted = state.vector.filter { $0.value > 0 }
            guard states[0].vector.filter({ $0.value > 0 }) == counted else {
                throw Divergence(description: "vectors 0 and \(index): \(states[0].vector), \(state.vector)")
            }
            let (first, second) = (Set(states[0].rows), Set(state.rows))
            let differences =
                first.subtracting(second).map { "- \($0)" } + second.subtracting(first).map { "+ \($0)" }
            guard differences.isEmpty, states[0].rows.count == state.rows.count else {
                throw Divergence(description: (["rows of 0 and \(index)"] + differences).joined(separator: "\n"))
            }
            guard states[0].digest == state.digest else {
                throw Divergence(description: "digests of 0 and \(index) differ, their rows do not")
            }
        }
    }
}

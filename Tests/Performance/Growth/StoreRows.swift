import Foundation
import TestSupport
import TributaryChanges
import TributaryModel
import TributaryStore

/// The costs of write transactions: many objects whose one-to-one registers hold one target, many known writers, and many
/// values that wait for a model.
enum StoreRows {
    static let all = [
        // What a save and its export ask of the store.
        GrowthRow(
            title: "a local commit and its export beside n known writers",
            order: .constant,
            smallest: 1_000,
            unit: .steps,
            runs: 1
        ) { count in
            let folder = try TemporaryFolder.inMemory("growth")
            let path = folder.path("store.sqlite")
            let store = try Store.open(StoreConfiguration(path: path, name: "growth", model: try Works.model()))
            var steps = 0
            try store.write { write in
                for number in 1...count {
                    let insert = Change(entity: "Works", id: id(number), operation: .insert([]))
                    try apply([insert], 1, of: id(1_000_000 + number), in: write)
                }
                // The first commits announce what has come.
                for _ in 0...count / LogLimits.seenEntries { _ = try write.commit(LocalTransaction(changes: [])) }
                try write.reportingProgress(every: 1, { steps += 1 }) {
                    _ = try write.commit(LocalTransaction(changes: []))
                    _ = try write.reader.writers.own()
                    _ = try write.reader.outbox.unfinishedExports()
                }
            }
            try store.close()
            return Double(steps)
        },
        GrowthRow(
            title: "a save and an import after two stores have been n writers",
            order: .constant,
            smallest: 500,
            unit: .steps,
            runs: 1
        ) { count in
            let folder = try TemporaryFolder.inMemory("growth")
            let path = folder.path("store.sqlite")
            var configuration = StoreConfiguration(path: path, name: "growth", model: try Works.model())
            let tokens = folder.path("tokens")
            configuration.environment.tokens = { _ in tokens }
            let store = try Store.open(configuration)
            let works = Change(entity: "Works", id: id(0), operation: .insert([]))
            var steps = 0
            for number in 1...count {
                // Without its token the store goes on as a fresh writer.
                try? FileManager.default.removeItem(atPath: tokens)
                try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: false)
                try store.write { write in
                    try write.reportingProgress(every: 1, { if number == count { steps += 1 } }) {
                        let own = try write.commit(LocalTransaction(changes: [name(number)])).writer
                        let peer = id(1_000_000 + number)
                        try write.meet(peer, incarnation(number))
                        try apply(number == 1 ? [works] : [name(-number)], 1, of: peer, seen: [own: 1], in: write)
                    }
                }
            }
            try store.close()
            return Double(steps)
        },
        GrowthRow(
            title: "a line with n values that the model lacks: its import, a baseline and the model that has one",
            order: .linear,
            smallest: 5_000
        ) { count in
            let folder = try TemporaryFolder.inMemory("growth")
            let models = try ["", "v0: String?"].enumerated().map { version, attributes in
                try Model(yaml: "version: \"\(version)\"\nentities: {Item: {attributes: {\(attributes)}}}")
            }
            func withStore(_ model: Model, _ body: (Store) throws -> Void) throws {
                let configuration = StoreConfiguration(path: folder.path("store.sqlite"), name: "growth", model: model)
                let store = try Store.open(configuration)
                try body(store)
                try store.close()
            }
            let values = (0..<count).map { PropertyWrite(name: "v\($0)", value: .string("a")) }
            return try await GrowthRow.processorMilliseconds {
                try withStore(models[0]) { store in
                    let insert = Change(entity: "Item", id: id(0), operation: .insert(values))
                    try store.write { try apply([insert], 1, in: $0) }
                    _ = try store.read { try $0.baseline.forEachLine { _ in } }
                }
                try withStore(models[1]) { _ in }
            }
        },
        row("one-to-one owners of one target deleted one by one") { .delete },
        row("one-to-one owners of one target unlinked one by one") {
            .update([PropertyWrite(name: "guards", value: .null)])
        },
    ]

    /// Counts the instructions of SQLite's machine for ending the shown owner's claim again and again, each time in a
    /// transaction of its own.
    private static func row(_ title: String, _ ending: @escaping @Sendable () -> Change.Operation) -> GrowthRow {
        GrowthRow(title: title, order: .linear, smallest: 500, unit: .steps, runs: 1) { count in
            let folder = try TemporaryFolder.inMemory("growth")
            let model = try Works.model()
            let store = try Store.open(
                StoreConfiguration(path: folder.path("store.sqlite"), name: "growth", model: model)
            )
            let claims = [PropertyWrite(name: "guards", value: .string(id(0).description))]
            let owners = (1...count).map { Change(entity: "Worker", id: id($0), operation: .insert(claims)) }
            let target = Change(entity: "Works", id: id(0), operation: .insert([]))
            var steps = 0
            try store.write { write in
                try apply([target] + owners, 1, in: write)
                try write.reportingProgress(every: 1, { steps += 1 }) {
                    for number in 1...count {
                        let owner = Change(entity: "Worker", id: id(count + 1 - number), operation: ending())
                        try apply([owner], UInt64(number) + 1, in: write)
                    }
                }
            }
            try store.close()
            return Double(steps)
        }
    }

    private static func name(_ number: Int) -> Change {
        Change(
            entity: "Works",
            id: id(0),
            operation: .update([PropertyWrite(name: "name", value: .string("\(number)"))])
        )
    }

    /// What the writer of a number says of itself: it goes on from the one before.
    private static func incarnation(_ number: Int) -> Incarnation {
        let former = Incarnation.Predecessor(writer: id(1_000_000 + number - 1), sequence: 1)
        return Incarnation(store: id(1_000_000), after: number == 1 ? nil : former)
    }

    private static func apply(
        _ changes: [Change],
        _ sequence: UInt64,
        of writer: UniqueID = id(1_000_000),
        seen: [UniqueID: UInt64] = [:],
        in write: WriteTransaction
    ) throws {
        let clock = HybridClock(milliseconds: 1_600_000_000_000 + sequence)
        let header = TransactionHeader(sequence: sequence, clock: clock, seen: seen, changeCount: changes.count)
        try write.beginImport(writer: writer, header: header)
        try write.apply(changes)
        _ = try write.endImport()
    }

    private static func id(_ number: Int) -> UniqueID {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
    }
}

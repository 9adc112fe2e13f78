import Foundation
import TestSupport
import Tributary
import TributaryChanges

/// The time of an import and the waits of saves meanwhile, on a machine that does nothing else and beside two programs that
/// never wait.
struct SavesBesideImport {
    let folder: String
    private static let changes = 100_000

    func line(_ generator: inout SeededGenerator) async throws -> String {
        let workload = Workload(count: Self.changes, generator: &generator)
        let alone = try await measure(workload)
        // They end by themselves when this program has ended before it could end them.
        let loop = "while kill -0 $PPID; do :; done"
        let programs = try (0..<2).map { _ in try ChildProcess("/bin/sh", ["-c", loop]) }
        defer { for program in programs { program.send(SIGKILL) } }
        return "import of \(Self.changes) changes with saves meanwhile: \(alone);"
            + " beside two busy programs: \(try await measure(workload))"
    }

    private func measure(_ workload: Workload) async throws -> String {
        let served = try await ServedStore(in: folder)
        let save = Workload.request(inserts: 1)
        try served.answer(to: "POST /v1/transactions", body: save)
        try workload.publishInserts(in: served.logs)
        let start = ContinuousClock.now
        var waits: [Duration] = []
        while try served.appliedSequence(of: workload.writer.description) < workload.transactions {
            let begun = ContinuousClock.now
            try served.answer(to: "POST /v1/transactions", body: save)
            waits.append(ContinuousClock.now - begun)
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        await served.stop()
        let longest = (waits.max() ?? .zero) / .milliseconds(1)
        return "\(Comparison.rounded(time)) s, longest wait of \(waits.count) saves \(Comparison.rounded(longest)) ms"
    }
}

/// Saves of one object each in a store that does nothing else, until they are durable.
struct QuietSaves {
    let folder: String
    let rounds: Int
    private static let saves = 100

    func row(_ generator: inout SeededGenerator) async throws -> Comparison {
        let workload = Workload(count: Self.saves * rounds, generator: &generator)
        let scratch = try TemporaryFolder("benchmark", in: folder + "/")
        let container = try await PersistentContainer(
            name: "benchmark",
            model: try Workload.model(),
            store: .file(scratch.path("store.sqlite"))
        )
        var row = Comparison(
            "save of one object on a quiet store",
            .atMost(goal: 1.3, limit: 8),
            beside:
                "A transaction with one INSERT of the same row is synced as well; it keeps no version, history or line for the log.",
            count: Self.saves
        )
        for round in 0..<rounds {
            let (saves, inserts) = try await container.newBackgroundContext().perform { context in
                try Self.save(
                    workload,
                    round * Self.saves..<(round + 1) * Self.saves,
                    in: context,
                    beside: scratch.path("plain.sqlite")
                )
            }
            row.add(ours: saves, other: inserts)
        }
        try await container.close()
        return row
    }

    /// Saves and inserts one after another, since both write through one disk.
    private static func save(
        _ workload: Workload,
        _ range: Range<Int>,
        in context: ManagedObjectContext,
        beside path: String
    ) throws -> (saves: Comparison.Cost, inserts: Comparison.Cost) {
        let plain = try PlainLoop(path: path)
        var (saves, inserts): (Comparison.Cost, Comparison.Cost) = ((0, 0), (0, 0))
        for index in range {
            try Comparison.spend(on: &saves) { try save(workload, index, in: context) }
            let row = Work.row(workload, index)
            try Comparison.spend(on: &inserts) { try plain.run(Work.insert, rows: [row]) }
        }
        return (saves, inserts)
    }

    static func save(_ workload: Workload, _ index: Int, in context: ManagedObjectContext) throws {
        let employee = try context.insert(entity: "Employee")
        let values: [String: PropertyValue] = [
            "name": .string(workload.name(index)), "note": .string(workload.note(index)),
            "salary": .double(workload.salary(index)),
            "hired": .date(DateValue(unixSeconds: Double(workload.hired(index)) ?? 0)),
            "badge": .integer(workload.badge(index)), "active": .boolean(workload.isActive(index)),
        ]
        for (key, value) in values { try employee.setValue(value, forKey: key) }
        try context.save()
    }
}

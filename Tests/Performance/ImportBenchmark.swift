import BenchmarkImport
import Foundation
import TestSupport

/// Imports segments the way the daemon does and runs a plain SQLite loop over the same rows, in pairs, on one file
/// system; prints both and their ratio.
///
///     swift run -c release --static-swift-stdlib import-benchmark [--short] [--memory] [--changes N] [--runs N] [--folder PATH]
///
/// Then it asks a `tributaryd` that imports, the one that was built beside it, for objects all the time, saves beside an
/// import and two busy programs, and looks at the memory that a daemon takes for each of several shapes of segments and
/// requests; the exit status is 1 when that is more than it may be. `--memory` does this last part only, and `--short` has
/// fewer pairs, and fewer segments there.
///
/// With `--logs PATH` it imports what somebody else has put there, once, and tells the memory that took.
@main
struct ImportBenchmark {
    private var changes = 200_000
    private var runs = 5
    private var folder = NSTemporaryDirectory()
    private var logs: String?
    private var isShort = false
    private var isMemoryOnly = false

    static func main() async throws {
        var benchmark = ImportBenchmark()
        guard benchmark.read(CommandLine.arguments.dropFirst()) else {
            print("usage: import-benchmark [--short] [--memory] [--changes N] [--runs N] [--folder PATH] [--logs PATH]")
            exit(64)
        }
        if let logs = benchmark.logs {
            try await benchmark.importOnly(logs)
        } else {
            try await benchmark.run()
        }
    }

    private func importOnly(_ logs: String) async throws {
        let store = "\(folder)/import-benchmark-\(UUID().uuidString.prefix(8)).sqlite"
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + suffix) }
        }
        let real = DaemonImport(store: store, logs: logs, name: "benchmark", model: try Workload.model())
        let effort = try await Effort.measure { try await real.run() }
        print("\(Int(effort.wall * 1000)) ms, \(Int(effort.processor * 1000)) ms of processor time")
        print("peak memory \(Effort.peakKiB >> 10) MiB")
    }

    private mutating func read(_ arguments: ArraySlice<String>) -> Bool {
        var rest = arguments
        while let option = rest.popFirst() {
            switch option {
            case "--short": (isShort, runs) = (true, 3)
            case "--memory": isMemoryOnly = true
            case "--changes":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return false }
                changes = value
            case "--runs":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return false }
                runs = value
            case "--folder":
                guard let value = rest.popFirst() else { return false }
                folder = value
            case "--logs":
                guard let value = rest.popFirst() else { return false }
                logs = value
            default: return false
            }
        }
        return true
    }

    private func run() async throws {
        var generator = SeededGenerator.fromEnvironment()
        if isMemoryOnly { return try await measureMemory(&generator) }
        print("\(changes) changes, \(runs) pairs, in \(folder), seed \(generator.seed)")
        let workload = Workload(count: changes, generator: &generator)
        var inserts = Comparison(title: "inserts, time-ordered IDs", changes: changes)
        var updates = Comparison(title: "updates of one column, random order", changes: changes)
        var sizes = StoreSizes()
        for run in 0..<runs {
            let scratch = "\(folder)/import-benchmark-\(UUID().uuidString.prefix(8))"
            try FileManager.default.createDirectory(atPath: scratch + "/logs", withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            let real = DaemonImport(
                store: scratch + "/store.sqlite",
                logs: scratch + "/logs",
                name: "benchmark",
                model: try Workload.model()
            )
            let plain = scratch + "/plain.sqlite"

            let previous = try workload.publishInserts(in: real.logs)
            // Each goes first in every other pair.
            let first = try await pair(
                importsFirst: run % 2 == 0,
                { try await Effort.measure { try await real.run() } },
                { try await Self.plainly(plain, workload) { try $0.insertAll() } }
            )
            inserts.add(importing: first.importing, plain: first.plain)
            sizes.fresh = (Self.size(real.store), Self.size(plain))

            try workload.publishUpdates(in: real.logs, previous: previous)
            let second = try await pair(
                importsFirst: run % 2 == 0,
                { try await Effort.measure { try await real.run() } },
                { try await Self.plainly(plain, workload) { try $0.updateAll() } }
            )
            updates.add(importing: second.importing, plain: second.plain)
            sizes.updated = (Self.size(real.store), Self.size(plain))
        }
        print(inserts.line)
        print(updates.line)
        print(sizes.lines)
        print(try await ReadsBesideImport(changes: changes * 2, folder: folder).line(&generator))
        print(try await SavesBesideImport(folder: folder).line(&generator))
        try await measureMemory(&generator)
    }

    private func measureMemory(_ generator: inout SeededGenerator) async throws {
        // Memory is the same at each run, while waits depend on what else the machine does.
        guard try await ImportMemory(folder: folder, isShort: isShort).run(&generator) else { exit(1) }
    }

    private func pair(
        importsFirst: Bool,
        _ importing: () async throws -> Effort,
        _ plain: () async throws -> Effort
    ) async throws -> (importing: Effort, plain: Effort) {
        if importsFirst {
            let effort = try await importing()
            return (effort, try await plain())
        }
        let effort = try await plain()
        return (try await importing(), effort)
    }

    private static func plainly(
        _ path: String,
        _ workload: Workload,
        _ body: (PlainLoop) throws -> Void
    ) async throws -> Effort {
        let loop = try PlainLoop(path: path, workload: workload)
        return try await Effort.measure {
            try body(loop)
            try loop.close()
        }
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}

import BenchmarkImport
import Foundation
import TestSupport
import TributaryStore

/// Imports segments the way the daemon does and does the same work another way, in turns, on one file system; prints a
/// table of the ratios.
///
///     swift run -c release --static-swift-stdlib import-benchmark [--short] [--memory] [--changes N] [--runs N] [--folder PATH]
///
/// Goals are only shown. Limits are what holds today, by processor time; the exit status is 1 when one is not kept.
///
/// Then it saves beside an import and two busy programs, and looks at the memory that a daemon, the one that was built
/// beside it, takes for each of several shapes of segments and requests, which has limits too. `--memory` does this last
/// part only, and `--short` has fewer pairs, and fewer segments there.
///
/// With `--logs PATH` it imports what somebody else has put there, once, and tells the memory that took. `--prepare PATH`,
/// `--work import|save|fetch PATH` and `--records STORE SEGMENT…` do one work for programs that measure it from outside:
/// see ``SingleWork`` and ``RecordImport``.
@main
struct ImportBenchmark {
    private var changes = 200_000
    private var runs = 5
    private var folder = NSTemporaryDirectory()
    private var logs: String?
    private var isShort = false
    private var isMemoryOnly = false

    static func main() async throws {
        // As the daemon does.
        SQLiteMemory.disableAccounting()
        if try await SingleWork.run(CommandLine.arguments.dropFirst()) { return }
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
        let scratch = try TemporaryFolder("benchmark", in: folder + "/")
        let importing = try ImportSeries.importing(scratch.path, logs: logs)
        let effort = try await Effort.measure { try await importing.run() }
        print("\(Int(effort.wall * 1000)) ms, \(Int(effort.processor * 1000)) ms of processor time")
        print("peak memory \(Effort.peakKiB >> 10) MiB")
    }

    private mutating func read(_ arguments: ArraySlice<String>) -> Bool {
        var rest = arguments
        while let option = rest.popFirst() {
            switch option {
            case "--short": (isShort, changes, runs) = (true, 100_000, 3)
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
        var isKept = true
        if !isMemoryOnly {
            print("\(changes) changes, \(runs) pairs, in \(folder), seed \(generator.seed)")
            let series = ImportSeries(folder: folder, changes: changes, runs: runs)
            var rows = try await series.besidePython(&generator).map { [$0] } ?? []
            rows += try await series.besidePlainLoop(&generator)
            rows.append(try await QuietSaves(folder: folder, rounds: runs).row(&generator))
            rows.append(try await ReadsBesideImport(changes: changes * 2, folder: folder, rounds: runs).row(&generator))
            print(Comparison.heading)
            for row in rows { print(row.line) }
            for row in rows { print("\(row.title): \(row.beside)") }
            print(try await SavesBesideImport(folder: folder).line(&generator))
            isKept = rows.allSatisfy(\.isKept)
        }
        // Memory is the same at each run, while waits depend on what else the machine does.
        let isSmall = try await ImportMemory(folder: folder, isShort: isShort).run(&generator)
        if !isKept || !isSmall { exit(1) }
    }
}

import BenchmarkImport
import Foundation
import TestSupport
import TributaryChanges

/// Measures imports beside the plain loop and beside a program in Python, with the same rows in the end.
struct ImportSeries {
    let folder: String
    let changes: Int
    let runs: Int

    struct Failure: Error {
        var message: String
    }

    /// An import of `logs` into a store in a folder.
    static func importing(_ folder: String, logs: String) throws -> DaemonImport {
        DaemonImport(store: folder + "/store.sqlite", logs: logs, name: "benchmark", model: try Workload.model())
    }

    /// The rows of ``Work/series``, and those of the sizes.
    func besidePlainLoop(_ generator: inout SeededGenerator) async throws -> [Comparison] {
        let workload = Workload(count: changes, generator: &generator)
        var rows: [Comparison] = []
        for works in Work.series {
            var measured = works.map { $0.comparisons(workload) }
            for run in 0..<runs {
                let scratch = try TemporaryFolder("benchmark", in: folder + "/")
                try FileManager.default.createDirectory(atPath: scratch.path("logs"), withIntermediateDirectories: true)
                var writers = [false: workload.segmentWriter(), true: workload.segmentWriter(isLate: true)]
                let sides = Sides(
                    importing: try Self.importing(scratch.path, logs: scratch.path("logs")),
                    scratch: scratch
                )
                for (place, work) in works.enumerated() {
                    let changes = work.changes(workload)
                    try workload.publish(
                        changes.map(\.line),
                        by: &writers[work.isLate, default: workload.segmentWriter()],
                        segments: work.segments,
                        in: scratch.path("logs")
                    )
                    // Each goes first in every other pair.
                    let pair = try await sides.measure(work, changes.map(\.row), importsFirst: run % 2 == 0)
                    measured[place].time?.add(ours: pair.ours, other: pair.other)
                    measured[place].size?.add(ours: sides.mebibytes("store"), other: sides.mebibytes("plain"))
                    if run == 0 {
                        try PlainLoop(path: scratch.path("plain.sqlite")).verify(against: sides.importing.store)
                    }
                }
            }
            rows += measured.flatMap { [$0.time, $0.size].compactMap(\.self) }
        }
        return rows
    }

    /// The two that take turns.
    private struct Sides {
        let importing: DaemonImport
        let scratch: TemporaryFolder

        func measure(
            _ work: Work,
            _ rows: [[PlainValue]],
            importsFirst: Bool
        ) async throws -> (ours: Effort, other: Effort) {
            var first: Effort?
            if importsFirst { first = try await Effort.measure { try await importing.run() } }
            var path = scratch.path("plain.sqlite")
            if work.isLate {
                // What loses in the store would stand here.
                path += "-copy"
                try FileManager.default.copyItem(atPath: scratch.path("plain.sqlite"), toPath: path)
            }
            let loop = try PlainLoop(path: path)
            let other = try await Effort.measure {
                try loop.run(work.statement, rows: rows)
                try loop.close()
            }
            if let first { return (first, other) }
            return (try await Effort.measure { try await importing.run() }, other)
        }

        func mebibytes(_ name: String) -> Double {
            let attributes = try? FileManager.default.attributesOfItem(atPath: scratch.path("\(name).sqlite"))
            return Double(attributes?[.size] as? Int ?? 0) / 1_048_576
        }
    }

    /// Inserts with random IDs and dates with fractions through a daemon, from the moment when the segment is there until
    /// the daemon has answered that it is synchronized; nil without Python.
    func besidePython(_ generator: inout SeededGenerator) async throws -> Comparison? {
        guard let python = Python() else {
            print("there is no python3: no row beside it")
            return nil
        }
        let workload = Workload(count: changes, isRandom: true, generator: &generator)
        var row = Comparison(
            "inserts through a daemon, random IDs, fractions",
            .atLeast(goal: 1, limit: 0.5),
            beside:
                "The script import.py reads the same segment with json and calls executemany; it checks no hash and keeps no versions.",
            count: changes
        )
        for run in 0..<runs {
            let scratch = try TemporaryFolder("benchmark", in: folder + "/")
            try workload.publishInserts(in: scratch.path("logs"))
            let served = try await ServedStore(in: folder)
            let places = [scratch.path("logs/"), served.logs + "/"].map { $0 + workload.writer.description }
            let first = run % 2 == 0 ? nil : try await Self.run(python, on: places[0], to: scratch)
            let used = served.processorSeconds
            let effort = try await Effort.measure {
                try FileManager.default.moveItem(atPath: places[0], toPath: places[1])
                try served.answer(to: "POST /v1/sync")
            }
            let ours = (effort.wall, served.processorSeconds - used)
            let other = if let first { first } else { try await Self.run(python, on: places[1], to: scratch) }
            row.add(ours: ours, other: other)
            if run == 0 { try PlainLoop(path: scratch.path("plain.sqlite")).verify(against: served.store) }
            await served.stop()
        }
        return row
    }

    /// Has the script import the one segment of a folder.
    private static func run(_ python: Python, on logs: String, to scratch: TemporaryFolder) async throws
        -> Comparison.Cost
    {
        let program = PackageFolder.path("Tests/Performance/import.py")
        let segments = try FileManager.default.contentsOfDirectory(atPath: logs).map { "\(logs)/\($0)" }
        let (_, output, errors) = try await python.run(program, segments + [scratch.path("plain.sqlite")])
        let times = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard times.count == 2 else { throw Failure(message: "\(program) failed: \(errors)") }
        return (times[0], times[1])
    }
}

import Foundation
import TestSupport
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
        _ = try workload.publishInserts(in: served.logs)
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

/// How large the files are, the store's and the plain table's.
struct StoreSizes {
    var fresh = (store: 0, plain: 0)
    var updated = (store: 0, plain: 0)

    var lines: String {
        [("fresh", fresh), ("after updating every row", updated)].map { title, size in
            let ratio = Comparison.rounded(Double(size.store) / Double(max(1, size.plain)))
            return "size \(title): store \(size.store >> 10) KiB, plain table \(size.plain >> 10) KiB, ratio \(ratio)"
        }.joined(separator: "\n")
    }
}

import TestSupport
import TributaryChanges

/// The waits of a daemon's clients for a small fetch during an import, compared with waits when it is idle.
struct ReadsBesideImport {
    let changes: Int
    let folder: String
    private static let objects = 10_000
    private static let path = "/v1/objects/Employee?limit=10"
    static let limit = 1.5
    private static let rounds = 5

    private struct Waits {
        var milliseconds: [Double] = []

        func percentile(_ part: Double) -> Double {
            let sorted = milliseconds.sorted()
            guard let last = sorted.last else { return 0 }
            let index = Int(Double(sorted.count) * part)
            return index < sorted.count ? sorted[index] : last
        }

        var text: String {
            "p50 \(Comparison.rounded(percentile(0.5))) ms, p99 \(Comparison.rounded(percentile(0.99))) ms"
                + " of \(milliseconds.count)"
        }
    }

    /// Measures in several rounds, each idle and beside an import, since one wait of a hundred depends on what else the
    /// machine does; the median ratio counts.
    func line(_ generator: inout SeededGenerator) async throws -> String {
        let served = try await ServedStore(in: folder)
        let base = Workload(count: Self.objects, generator: &generator)
        _ = try base.publishInserts(in: served.logs)
        var unused = Waits()
        try waits(&unused, of: served, until: base)
        var (allIdle, allBeside, ratios) = (Waits(), Waits(), [Double]())
        for round in 0..<Self.rounds {
            var idle = Waits()
            let end = ContinuousClock.now + .seconds(3)
            while ContinuousClock.now < end { try fetch(from: served, &idle) }
            var workload = Workload(count: changes, generator: &generator)
            workload.writer = Workload.otherWriter(round)
            _ = try workload.publishInserts(in: served.logs)
            var beside = Waits()
            try waits(&beside, of: served, until: workload)
            ratios.append(beside.percentile(0.99) / max(idle.percentile(0.99), 0.001))
            allIdle.milliseconds += idle.milliseconds
            allBeside.milliseconds += beside.milliseconds
        }
        await served.stop()
        let ratio = Comparison.median(ratios)
        return "fetch of 10 objects, idle: \(allIdle.text); beside an import of \(changes) changes: \(allBeside.text);"
            + " ratio of p99 \(Comparison.rounded(ratio)) (\(Comparison.rounded(ratios.min() ?? 0)) to"
            + " \(Comparison.rounded(ratios.max() ?? 0))), limit \(Self.limit): "
            + (ratio <= Self.limit ? "kept" : "NOT KEPT")
    }

    /// Fetches again and again until the workload has been imported.
    private func waits(_ waits: inout Waits, of served: ServedStore, until workload: Workload) throws {
        while try served.appliedSequence(of: workload.writer.description) < workload.transactions {
            for _ in 0..<20 { try fetch(from: served, &waits) }
        }
    }

    private func fetch(from served: ServedStore, _ waits: inout Waits) throws {
        let start = ContinuousClock.now
        _ = try served.get(Self.path)
        waits.milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
    }
}

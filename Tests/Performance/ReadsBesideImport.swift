import TestSupport
import TributaryChanges

/// The waits of a daemon's clients for a small fetch during an import, compared with waits when it is idle.
struct ReadsBesideImport {
    let changes: Int
    let folder: String
    let rounds: Int
    private static let objects = 10_000
    private static let path = "/v1/objects/Employee?limit=10"

    private struct Waits {
        var milliseconds: [Double] = []

        func percentile(_ part: Double) -> Double {
            let sorted = milliseconds.sorted()
            guard let last = sorted.last else { return 0 }
            let index = Int(Double(sorted.count) * part)
            return index < sorted.count ? sorted[index] : last
        }
    }

    /// Measures in several rounds, each idle and beside an import, since one wait of a hundred depends on what else the
    /// machine does; the median ratio counts.
    func row(_ generator: inout SeededGenerator) async throws -> Comparison {
        var row = Comparison(
            "fetch of 10 objects during an import, p99 in ms",
            .atMost(goal: 1.5, limit: nil),
            beside: "The same daemon when it is idle."
        )
        let served = try await ServedStore(in: folder)
        let base = Workload(count: Self.objects, generator: &generator)
        try base.publishInserts(in: served.logs)
        var unused = Waits()
        try waits(&unused, of: served, until: base)
        for round in 0..<rounds {
            var idle = Waits()
            let end = ContinuousClock.now + .seconds(2)
            while ContinuousClock.now < end { try fetch(from: served, &idle) }
            var workload = Workload(count: changes, generator: &generator)
            workload.writer = Workload.otherWriter(round)
            try workload.publishInserts(in: served.logs)
            var beside = Waits()
            try waits(&beside, of: served, until: workload)
            row.add(ours: beside.percentile(0.99), other: max(idle.percentile(0.99), 0.001))
        }
        await served.stop()
        return row
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

import TestSupport
import TributaryChanges

/// The most memory that a daemon takes for segments of several lengths: it does not grow with them.
struct ImportMemory {
    let folder: String
    static let limitMiB = 96
    private static let megabytes = [25, 50, 100]
    /// Bytes of a line of the workload.
    private static let lineBytes = 213

    /// A line for people, and whether the limit was kept.
    func line(_ generator: inout SeededGenerator) async throws -> (text: String, isKept: Bool) {
        var peaks: [Int] = []
        for size in Self.megabytes {
            let served = try await ServedStore(in: folder)
            let workload = Workload(count: size * 1_000_000 / Self.lineBytes, generator: &generator)
            _ = try workload.publishInserts(in: served.logs)
            while try served.appliedSequence(of: workload.writer.description) < workload.transactions {}
            peaks.append(served.peakKiB >> 10)
            await served.stop()
        }
        let isKept = peaks.allSatisfy { $0 <= Self.limitMiB }
        let figures = zip(Self.megabytes, peaks).map { "\($1) MiB for \($0) MB" }.joined(separator: ", ")
        let verdict = isKept ? "kept" : "NOT KEPT"
        return (
            "peak memory of the daemon by length of the segment: \(figures); limit \(Self.limitMiB) MiB: \(verdict)",
            isKept
        )
    }
}

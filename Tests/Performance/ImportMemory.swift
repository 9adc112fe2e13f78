import Foundation
import TestSupport
import TributaryChanges

/// The most memory that a fresh daemon takes for what it imports and saves, by the shape of that: it does not grow with the
/// size.
struct ImportMemory {
    let folder: String
    let isShort: Bool
    static let limitMiB = 96

    private enum Shape {
        case segment(transactions: Int, changes: Int)
        /// Segments of one change each.
        case segments(Int)
        /// One `POST /v1/transactions`.
        case request(inserts: Int)

        var title: String {
            switch self {
            case .segment(1, let changes): "a transaction of \(changes) inserts"
            case .segment(let transactions, let changes):
                "a segment of \(transactions) transactions with \(changes) inserts each"
            case .segments(let count): "\(count) segments of one insert each"
            case .request(let inserts): "a request to save \(inserts) inserts"
            }
        }
    }

    /// Prints a line for each shape; returns whether all have kept the limit.
    func run(_ generator: inout SeededGenerator) async throws -> Bool {
        var shapes: [Shape] = [
            .segment(transactions: isShort ? 2_500 : 5_000, changes: 100),
            .segment(transactions: 1, changes: 200_000),
            .segment(transactions: isShort ? 500 : 1_000, changes: 1_000),
            .segments(isShort ? 10_000 : 100_000),
            .request(inserts: 100_000),
        ]
        if !isShort { shapes.insert(.segment(transactions: 1, changes: 400_000), at: 2) }
        var isKept = true
        for shape in shapes {
            let peak = try await peakMiB(shape, &generator)
            let verdict = peak <= Self.limitMiB ? "kept" : "NOT KEPT"
            print("peak memory of the daemon for \(shape.title): \(peak) MiB, limit \(Self.limitMiB) MiB: \(verdict)")
            fflush(nil)
            isKept = isKept && peak <= Self.limitMiB
        }
        return isKept
    }

    private func peakMiB(_ shape: Shape, _ generator: inout SeededGenerator) async throws -> Int {
        let served = try await ServedStore(in: folder)
        switch shape {
        case .segment(let transactions, let changes):
            var workload = Workload(count: transactions * changes, generator: &generator)
            workload.transactionChanges = changes
            try workload.publishInserts(in: served.logs)
        case .segments(let count):
            let workload = Workload(count: count, generator: &generator)
            var writer = ForeignWriter(id: workload.writer.description, milliseconds: Workload.firstMillisecond)
            for index in 0..<count { try writer.write([[workload.insert(index)]], to: served.logs) }
        case .request(let inserts):
            try served.answer(to: "POST /v1/transactions", body: Workload.request(inserts: inserts))
        }
        try served.connect()
        // What was imported is merged, and what was saved is exported.
        try served.answer(to: "POST /v1/sync")
        let peak = served.peakKiB >> 10
        await served.stop()
        return peak
    }
}

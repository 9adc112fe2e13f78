package import TributaryAdmin
package import TributaryChanges

package struct FolderQuota: Sendable {
    private let logs: String
    private let limit: Int64
    private let size: FolderSize.Measured
    private let compaction: CompactionReport?
    private let name: @Sendable (UniqueID) -> String?

    private static let namedWriters = 3

    package init(
        of logs: String,
        limit: Int64,
        size: FolderSize.Measured,
        compaction: CompactionReport?,
        name: @escaping @Sendable (UniqueID) -> String?
    ) {
        self.logs = logs
        self.limit = limit
        self.size = size
        self.compaction = compaction
        self.name = name
    }

    package var isNearlyFull: Bool { size.bytes >= limit - limit / 10 }

    package var notice: Problem? {
        guard isNearlyFull else { return nil }
        let effect =
            size.bytes >= limit
            ? "new saves wait in the store and are not published"
            : "at the limit this store publishes no new changes"
        return Problem(
            .folderNearlyFull,
            detail:
                "\(logs) has \(ByteText.text(size.bytes)) of the \(ByteText.text(limit)) that logs.max_bytes allows; "
                + "\(effect). \(reasons)",
            hint: "To make room: tributaryctl compact"
        )
    }

    package func completing(_ problem: Problem) -> Problem {
        var problem = problem
        problem.detail += " \(reasons)"
        return problem
    }

    private var reasons: String {
        let largest = size.writers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(FolderQuota.namedWriters)
        let shares = largest.map { writer, bytes in
            "\(name(writer).map { "\($0) (\(writer))" } ?? "\(writer)") \(ByteText.text(bytes))"
        }
        var holders = shares.isEmpty ? "" : "Most is of \(shares.joined(separator: ", ")). "
        let others = size.bytes - size.writers.values.reduce(0) { $0.addingSaturating($1) }
        if others > size.bytes / 2 {
            holders =
                "\(ByteText.text(others)) are in no writer's folder, such as versions that a replicator keeps. "
                + holders
        }
        return holders + compactionText
    }

    private var compactionText: String {
        guard let compaction else { return "No compaction has run yet, so it is not known which files can be removed." }
        var texts: [String] = []
        if compaction.baseline.result == .waits, let detail = compaction.baseline.detail {
            texts.append("No baseline is cut: \(detail)")
        }
        if let first = compaction.remaining.first {
            let count = compaction.remainingSegments
            texts.append(
                "Of this store, \(count) segment\(count == 1 ? "" : "s") with \(ByteText.text(compaction.remainingBytes)) "
                    + "stay\(count == 1 ? "s" : ""); the first waits for: \(first.waitsFor.joined(separator: "; "))."
            )
        }
        return texts.isEmpty ? "This store has no files that can be removed now." : texts.joined(separator: " ")
    }
}

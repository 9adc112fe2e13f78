import TransactionLog
package import TributaryChanges
package import TributaryStore

/// The transactions that segments, verified baselines or acknowledgements name, applied or not, with their holders.
package struct KnownTransactions: Sendable {
    private let records: [UniqueID: WriterRecord]
    private var greatest: [UniqueID: UInt64] = [:]
    /// By writer: the writers that have applied more of its transactions than this store, and their positions.
    private var acknowledged: [UniqueID: [UniqueID: UInt64]] = [:]
    /// The names from the segments of writers without applied transactions.
    private var names: [UniqueID: String] = [:]
    private var positions: [UniqueID: UInt64] = [:]
    private var baselines: [KnownBaseline] = []

    /// O(n) for the entries of all vectors.
    init(_ records: [WriterRecord]) {
        self.records = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        for record in records {
            positions[record.id] = record.sequence
            name(record.id, through: record.sequence)
        }
        for writers in Dictionary(grouping: records, by: \.store).values {
            guard let last = writers.present else { continue }
            // A writer is not known merely because a vector names it.
            for (writer, sequence) in last.seen.entries where positions[writer] != nil {
                acknowledge(sequence, of: writer, by: last.id)
            }
        }
    }

    /// O(n) for the unapplied segments and for the entries of the baselines.
    mutating func add(_ planner: ImportPlanner) {
        // The records may be older than the planner.
        for (writer, position) in planner.positions {
            positions[writer] = position.sequence
            name(writer, through: position.sequence)
        }
        baselines = planner.baselines.known.verified
        for baseline in baselines {
            for (writer, sequence) in baseline.vector.entries { name(writer, through: sequence) }
        }
        for writer in planner.writers.values { collect(writer) }
    }

    private mutating func collect(_ writer: PlannedWriter) {
        for (id, sequence) in writer.unmet?.needs ?? [:] { acknowledge(sequence, of: id, by: writer.id) }
        for entry in writer.slice() {
            // An invalid segment may have any name, so its name proves nothing.
            if case .bad = entry.knowledge { continue }
            name(writer.id, through: entry.id.last)
            guard let segment = entry.valid else { continue }
            if let name = segment.name { names[writer.id] = name }
            for (id, sequence) in segment.unmet?.needs ?? [:] { acknowledge(sequence, of: id, by: writer.id) }
        }
    }

    private mutating func acknowledge(_ sequence: UInt64, of writer: UniqueID, by holder: UniqueID) {
        name(writer, through: sequence)
        guard sequence > position(of: writer), holder != writer else { return }
        let former = acknowledged[writer]?[holder] ?? 0
        acknowledged[writer, default: [:]][holder] = max(former, sequence)
    }

    private mutating func name(_ writer: UniqueID, through sequence: UInt64) {
        greatest[writer] = max(greatest[writer] ?? 0, sequence)
    }

    package var writers: Dictionary<UniqueID, UInt64>.Keys { greatest.keys }

    package func isKnown(_ writer: UniqueID) -> Bool { greatest[writer] != nil }

    package func record(of writer: UniqueID) -> WriterRecord? { records[writer] }

    package func name(of writer: UniqueID) -> String? { records[writer]?.name ?? names[writer] }

    /// `writer shop (5f0c0000)` for `writer 5f0c0000-…`; O(w) for each name in the text.
    package func naming(_ text: String) -> String {
        text.replacing(#/\bwriter ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/#) { match in
            guard let id = UniqueID(match.1), let name = name(of: id) else { return String(match.0) }
            return "writer \(name) (\(beginning(of: id, named: name)))"
        }
    }

    /// Eight digits of the UUID; more if another writer has them too, because a store had both within a minute.
    private func beginning(of writer: UniqueID, named name: String) -> Substring {
        let text = writer.description
        let isShared = writers.contains { other in
            other != writer && other.description.hasPrefix(text.prefix(8)) && self.name(of: other) == name
        }
        return text.prefix(isShared ? 13 : 8)
    }

    package func position(of writer: UniqueID) -> UInt64 { positions[writer] ?? 0 }

    /// 0 for an abandoned writer, because nothing waits for it.
    package func behind(_ writer: UniqueID) -> UInt64 {
        if records[writer]?.state == .abandoned { return 0 }
        return (greatest[writer] ?? 0).subtractingSaturating(position(of: writer))
    }

    func baseline(with sequence: UInt64, of writer: UniqueID) -> KnownBaseline? {
        baselines.first { $0.vector[writer] >= sequence }
    }

    private static let named = 8

    func holders(of sequence: UInt64, of writer: UniqueID) -> [UniqueID] {
        let found = (acknowledged[writer] ?? [:]).filter { $0.value >= sequence }
        return Array(found.keys.sorted().prefix(KnownTransactions.named))
    }
}

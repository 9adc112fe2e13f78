import TransactionLog
package import TributaryChanges
package import TributaryStore

/// The transactions that are known to exist, whether this store has applied them or not, and who has them.
///
/// They are known from the segments and the verified baselines in the log folder, and from what writers have acknowledged.
package struct KnownTransactions: Sendable {
    private let records: [UniqueID: WriterRecord]
    /// The last transaction of each writer that anybody names.
    private var greatest: [UniqueID: UInt64] = [:]
    /// By writer: who has applied more of its transactions than this store, and up to which.
    private var acknowledged: [UniqueID: [UniqueID: UInt64]] = [:]
    /// The names in segments of writers of which nothing is applied.
    private var names: [UniqueID: String] = [:]
    private var positions: [UniqueID: UInt64] = [:]
    private var baselines: [KnownBaseline] = []

    /// Collects what the store knows; a step for each entry of a vector.
    init(_ records: [WriterRecord]) {
        self.records = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        for record in records {
            positions[record.id] = record.sequence
            name(record.id, through: record.sequence)
        }
        for writers in Dictionary(grouping: records, by: \.store).values {
            guard let last = writers.present else { continue }
            // An entry alone makes no writer known.
            for (writer, sequence) in last.seen.entries where positions[writer] != nil {
                acknowledge(sequence, of: writer, by: last.id)
            }
        }
    }

    /// Adds what is in the log folder; a step for each segment that is not applied, and for each entry of a baseline.
    mutating func add(_ planner: ImportPlanner) {
        // The records may be those of an older state.
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
            // The name of a file that is no segment says nothing.
            if case .bad = entry.knowledge { continue }
            name(writer.id, through: entry.id.last)
            guard let segment = entry.valid else { continue }
            if let name = segment.name { names[writer.id] = name }
            for (id, sequence) in segment.unmet?.needs ?? [:] { acknowledge(sequence, of: id, by: writer.id) }
        }
    }

    /// A writer has applied another one's transactions up to one of them.
    private mutating func acknowledge(_ sequence: UInt64, of writer: UniqueID, by holder: UniqueID) {
        name(writer, through: sequence)
        guard sequence > position(of: writer), holder != writer else { return }
        let former = acknowledged[writer]?[holder] ?? 0
        acknowledged[writer, default: [:]][holder] = max(former, sequence)
    }

    private mutating func name(_ writer: UniqueID, through sequence: UInt64) {
        greatest[writer] = max(greatest[writer] ?? 0, sequence)
    }

    /// The writers that anybody names.
    package var writers: Dictionary<UniqueID, UInt64>.Keys { greatest.keys }

    package func isKnown(_ writer: UniqueID) -> Bool { greatest[writer] != nil }

    /// The store's record of a writer; nil when nothing of it is applied.
    package func record(of writer: UniqueID) -> WriterRecord? { records[writer] }

    /// The name that a writer shows to people.
    package func name(of writer: UniqueID) -> String? { records[writer]?.name ?? names[writer] }

    /// The text with the name of each known writer for its UUID: `writer shop (5f0c0000)` for `writer 5f0c0000-…`.
    ///
    /// The first characters of the UUID stay: a store has several writers with one name. O(w) for each name in the text.
    package func naming(_ text: String) -> String {
        text.replacing(#/\bwriter ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/#) { match in
            guard let id = UniqueID(match.1), let name = name(of: id) else { return String(match.0) }
            return "writer \(name) (\(beginning(of: id, named: name)))"
        }
    }

    /// The first characters of a writer's UUID, as many as tell it from the other writers of its name.
    ///
    /// Writers that a store has had within a minute begin with the same eight digits.
    private func beginning(of writer: UniqueID, named name: String) -> Substring {
        let text = writer.description
        let isShared = writers.contains { other in
            other != writer && other.description.hasPrefix(text.prefix(8)) && self.name(of: other) == name
        }
        return text.prefix(isShared ? 13 : 8)
    }

    /// The last transaction of a writer that is applied; 0 for none.
    package func position(of writer: UniqueID) -> UInt64 { positions[writer] ?? 0 }

    /// The number of a writer's transactions that exist and are not applied; 0 of an abandoned writer, for which nothing
    /// waits.
    package func behind(_ writer: UniqueID) -> UInt64 {
        if records[writer]?.state == .abandoned { return 0 }
        return (greatest[writer] ?? 0).subtractingSaturating(position(of: writer))
    }

    func baseline(with sequence: UInt64, of writer: UniqueID) -> KnownBaseline? {
        baselines.first { $0.vector[writer] >= sequence }
    }

    private static let named = 8

    /// The other writers that have applied a transaction that is not applied here, as far as they have acknowledged it.
    func holders(of sequence: UInt64, of writer: UniqueID) -> [UniqueID] {
        let found = (acknowledged[writer] ?? [:]).filter { $0.value >= sequence }
        return Array(found.keys.sorted().prefix(KnownTransactions.named))
    }
}

import TributaryChanges

/// Chooses which acknowledgements a baseline has, so that all of them together stay within the limit of the format.
///
/// The first line of a store has what it has acknowledged, without what follows from that. As a line says nothing of its own
/// writer, the second one has what the store has seen of the first one, as a copy may have. Up to 1,024 stores nothing else is
/// left out. With more, a store keeps as many as is its share: those of the writers whose UUIDs follow its label, from
/// the greatest on to the least. A store that has joined such a baseline may then have others than one that has applied
/// all of the transactions.
///
/// An entry that is left out delays the removal of segments until the next acknowledgement, and nothing else: at least
/// one entry stays, which tells that the store acknowledges.
struct BaselineSeen {
    private let writers: Set<UniqueID>
    private let after: [UniqueID: Incarnation.Predecessor]
    private let share: Int
    /// For each store, the writers of its first two lines so far.
    private var lines: [UniqueID: [UniqueID]] = [:]

    /// - Parameter writers: The writers in the baseline.
    init(_ writers: [WriterRecord]) {
        self.writers = Set(writers.map(\.id))
        after = Dictionary(writers.compactMap { writer in writer.incarnation.after.map { (writer.id, $0) } }) {
            first,
            _ in
            first
        }
        share = BaselineSeen.share(of: Set(writers.map(\.store)).count)
    }

    /// The greatest number of entries of each of so many stores.
    static func share(of stores: Int) -> Int {
        max(1, min(LogLimits.seenEntries, LogLimits.baselineSeenEntries / max(1, stores)))
    }

    /// The entries in the next line, which is that of a writer; O(w + n log n) for the first two lines of a store.
    mutating func take(_ writer: WriterRecord) -> [UniqueID: UInt64] {
        let former = lines[writer.store, default: []]
        guard former.count < 2 else { return [:] }
        lines[writer.store] = former + [writer.id]
        return entries(writer).filter { other, _ in former.first.map { $0 == other } ?? (other != writer.id) }
    }

    /// Whether the store of a writer has acknowledged so much that it may not all be in each of its baselines.
    func mayBeCut(_ writer: WriterRecord) -> Bool { 2 * all(writer).count > share }

    private func all(_ writer: WriterRecord) -> [UniqueID: UInt64] {
        let implied = writer.seen.implied(by: after)
        // A store may know of writers none of whose transactions it has; another one at the vector need not.
        return writer.seen.entries.filter { writers.contains($0.key) && $0.value > implied[$0.key] }
    }

    private func entries(_ writer: WriterRecord) -> [UniqueID: UInt64] {
        let seen = all(writer)
        guard seen.count > share else { return seen }
        let sorted = seen.keys.sorted()
        let following = sorted.filter { $0 > writer.store } + sorted.filter { $0 <= writer.store }
        return Dictionary(uniqueKeysWithValues: following.prefix(share).compactMap { id in seen[id].map { (id, $0) } })
    }
}

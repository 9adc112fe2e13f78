import TributaryChanges

/// Chooses the acknowledgements in a baseline, so that all of them together stay within the limit of the format.
///
/// The first line of a store lacks the entry for its own writer, so the store's second line contains that entry.
/// If there are more than 1,024 stores, each store keeps only a share: the writers with the UUIDs after its label. A
/// missing entry only delays the removal of segments. One entry always stays, to show that the store acknowledges.
struct BaselineSeen {
    private let writers: Set<UniqueID>
    private let after: [UniqueID: Incarnation.Predecessor]
    private let share: Int
    private var lines: [UniqueID: [UniqueID]] = [:]

    init(_ writers: [WriterRecord]) {
        self.writers = Set(writers.map(\.id))
        let formers = writers.compactMap { writer in writer.incarnation.after.map { (writer.id, $0) } }
        after = Dictionary(formers) { first, _ in first }
        share = BaselineSeen.share(of: Set(writers.map(\.store)).count)
    }

    static func share(of stores: Int) -> Int {
        max(1, min(LogLimits.seenEntries, LogLimits.baselineSeenEntries / max(1, stores)))
    }

    /// O(w + n log n) for the first two lines of a store.
    mutating func take(_ writer: WriterRecord) -> [UniqueID: UInt64] {
        let former = lines[writer.store, default: []]
        guard former.count < 2 else { return [:] }
        lines[writer.store] = former + [writer.id]
        return entries(writer).filter { other, _ in former.first.map { $0 == other } ?? (other != writer.id) }
    }

    private func entries(_ writer: WriterRecord) -> [UniqueID: UInt64] {
        let implied = writer.seen.implied(by: after)
        // A store may know a writer without its transactions. Other stores at the same vector may not know it.
        let seen = writer.seen.entries.filter { writers.contains($0.key) && $0.value > implied[$0.key] }
        guard seen.count > share else { return seen }
        let sorted = seen.keys.sorted()
        let following = sorted.filter { $0 > writer.store } + sorted.filter { $0 <= writer.store }
        return Dictionary(uniqueKeysWithValues: following.prefix(share).compactMap { id in seen[id].map { (id, $0) } })
    }
}

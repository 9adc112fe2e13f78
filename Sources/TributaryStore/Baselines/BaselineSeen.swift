import TributaryChanges

/// Chooses which of a writer's acknowledgements a baseline has, so that all of them together stay within the limit of the
/// format.
///
/// Up to 1,024 writers nothing is left out. With more, a writer keeps as many as is its share: those of the writers whose
/// UUIDs follow its own, from the greatest on to the least. A store that has joined such a baseline and one that has
/// applied all of the transactions choose the same ones at a later vector: what the first one lacks is past as many that
/// both have, and the share only shrinks while writers are added.
///
/// An entry that is left out delays the removal of segments until the next acknowledgement, and nothing else: at least
/// one entry stays, which tells that the writer acknowledges.
struct BaselineSeen {
    /// The number of writers in the baseline.
    let writerCount: Int

    /// The greatest number of entries of each writer.
    var share: Int {
        max(1, min(LogLimits.seenEntries, LogLimits.baselineSeenEntries / max(1, writerCount)))
    }

    /// The entries of a writer that the baseline has; O(n log n) for more entries than its share.
    func entries(_ seen: [UniqueID: UInt64], of writer: UniqueID) -> [UniqueID: UInt64] {
        guard seen.count > share else { return seen }
        let sorted = seen.keys.sorted()
        let following = sorted.filter { $0 > writer } + sorted.filter { $0 < writer }
        return Dictionary(uniqueKeysWithValues: following.prefix(share).compactMap { id in seen[id].map { (id, $0) } })
    }
}

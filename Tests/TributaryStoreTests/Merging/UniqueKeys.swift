import TributaryChanges

/// Decides which of the objects that share unique keys are shown.
///
/// State: the live objects with their insert versions and keys. Merge statement 15: in the order of their insert versions,
/// an object is shown unless it shares a key with an object that is shown already; otherwise the oldest shown object
/// with a common key represents it. The result is a function of the set of objects, so that replicas with equal sets
/// show the same objects.
struct UniqueKeys<Key: Hashable> {
    /// A live object with its keys; a key with a null member does not count.
    struct Holder {
        var id: UniqueID
        /// The greatest version of an insert of the object.
        var inserted: Version
        var keys: [Key]
    }

    /// For each object that is not shown, the object that represents it.
    private(set) var representatives: [UniqueID: UniqueID] = [:]
    /// For each key, the shown object that has it.
    private(set) var owners: [Key: UniqueID] = [:]

    /// Decides for a set of live objects, in any order; the set contains each object once.
    ///
    /// The cost is n log n comparisons for n objects, and one look at each key.
    init(of holders: some Sequence<Holder>) {
        let sorted = holders.sorted { left, right in
            left.inserted == right.inserted ? left.id < right.id : left.inserted < right.inserted
        }
        var ranks: [UniqueID: Int] = [:]
        for (rank, holder) in sorted.enumerated() {
            let blocking = holder.keys.compactMap { owners[$0] }.min { (ranks[$0] ?? 0) < (ranks[$1] ?? 0) }
            if let blocking {
                representatives[holder.id] = blocking
            } else {
                ranks[holder.id] = rank
                for key in holder.keys { owners[key] = holder.id }
            }
        }
    }

    func isShown(_ id: UniqueID) -> Bool { representatives[id] == nil }
}

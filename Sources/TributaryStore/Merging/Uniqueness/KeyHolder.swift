import TributaryChanges

/// A live object with its unique keys, in the order in which objects get their keys.
struct KeyHolder: Comparable {
    var id: UniqueID
    var number: Int64
    /// The version of that insert; of inserts of one transaction the identifiers decide.
    var inserted: Version
    var keys: [StoredKey]
    /// The object that represents it; nil for a visible object.
    var representative: UniqueID?

    /// Compares identifiers; `<` compares the versions of the inserts.
    static func == (left: KeyHolder, right: KeyHolder) -> Bool { left.id == right.id }

    static func < (left: KeyHolder, right: KeyHolder) -> Bool {
        #if MUTATIONS
            if Mutation.isOn(.shadowOrderByArrival) { return left.number < right.number }
        #endif
        return left.inserted == right.inserted ? left.id < right.id : left.inserted < right.inserted
    }
}

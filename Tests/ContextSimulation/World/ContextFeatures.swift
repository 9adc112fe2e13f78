import Synchronization

/// Kinds of steps and rules that a simulation can leave out, to find other faults beside a known one.
package struct ContextFeatures: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Inserts have the properties alone that were set.
    static let partialInserts = ContextFeatures(rawValue: 1 << 0)
    /// Counters change by amounts.
    static let amounts = ContextFeatures(rawValue: 1 << 1)
    static let undo = ContextFeatures(rawValue: 1 << 2)
    /// A save checks its rules on the newest state.
    static let underLock = ContextFeatures(rawValue: 1 << 3)
    static let mandatory = ContextFeatures(rawValue: 1 << 4)
    static let imports = ContextFeatures(rawValue: 1 << 5)
    static let queries = ContextFeatures(rawValue: 1 << 6)
    static let results = ContextFeatures(rawValue: 1 << 7)
    static let claims = ContextFeatures(rawValue: 1 << 8)
    static let orders = ContextFeatures(rawValue: 1 << 9)
    static let batches = ContextFeatures(rawValue: 1 << 10)
    /// Labels, whose codes are unique.
    static let keys = ContextFeatures(rawValue: 1 << 11)
    /// Greatest and least values, dates and composites.
    static let values = ContextFeatures(rawValue: 1 << 12)
    /// A relationship with a least number of objects.
    static let counts = ContextFeatures(rawValue: 1 << 13)
    static let unpinning = ContextFeatures(rawValue: 1 << 14)
    /// Binaries below and above the size from which they are files beside the store.
    static let binaries = ContextFeatures(rawValue: 1 << 15)
    /// Merges of the view context by its timer.
    static let timer = ContextFeatures(rawValue: 1 << 16)
    static let batchInserts = ContextFeatures(rawValue: 1 << 17)
    /// Imports of baselines.
    static let baselines = ContextFeatures(rawValue: 1 << 18)
    /// A context in another process.
    static let processes = ContextFeatures(rawValue: 1 << 19)
    /// Undo in schedules with unique keys.
    static let undoOfKeys = ContextFeatures(rawValue: 1 << 20)
    /// One ID that several contexts insert.
    static let sharedIDs = ContextFeatures(rawValue: 1 << 21)

    static let names: KeyValuePairs = [
        "partialInserts": partialInserts, "amounts": amounts, "undo": undo, "underLock": underLock,
        "mandatory": mandatory, "imports": imports, "queries": queries, "results": results,
        "claims": claims, "orders": orders, "batches": batches, "keys": keys, "values": values, "counts": counts,
        "unpinning": unpinning, "binaries": binaries, "timer": timer, "batchInserts": batchInserts,
        "baselines": baselines, "processes": processes,
        "undoOfKeys": undoOfKeys, "sharedIDs": sharedIDs,
    ]

    private static let missing = Atomic(0)

    /// Leaves these features out instead of the usual ones, separated by commas; returns false when a name is unknown.
    package static func leaveOut(_ text: String) -> Bool {
        var missing = 0
        for name in text.split(separator: ",") {
            guard let feature = names.first(where: { $0.key == name })?.value else { return false }
            missing |= feature.rawValue
        }
        self.missing.store(missing, ordering: .relaxed)
        return true
    }

    static func lacks(_ feature: ContextFeatures) -> Bool {
        missing.load(ordering: .relaxed) & feature.rawValue != 0
    }
}

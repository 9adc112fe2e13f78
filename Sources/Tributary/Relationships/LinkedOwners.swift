import TributaryChanges

/// The objects to or from which others were linked: their own registers have not changed, but their relationships have.
///
/// They are known by their keys until somebody asks for them; from then on until the save they are held strongly, so that
/// a hook after the save is called on the object of the hook before it.
struct LinkedOwners {
    /// Each once, in the order in which they were first linked; links that were taken back leave them here.
    private(set) var keys: [ObjectKey] = []
    private var known: Set<ObjectKey> = []
    private var held: [ObjectKey: ManagedObject] = [:]

    mutating func insert(_ key: ObjectKey) {
        if known.insert(key).inserted { keys.append(key) }
    }

    func contains(_ key: ObjectKey) -> Bool { known.contains(key) }

    mutating func hold(_ object: ManagedObject) { held[object.key] = object }

    mutating func removeAll() {
        guard !keys.isEmpty else { return }
        keys = []
        known = []
        held = [:]
    }
}

import TributaryChanges

/// The objects to or from which other objects were linked: their relationships have changed, their registers have not.
///
/// They are stored by their keys until a caller requests the objects; from then on until the save they are held
/// strongly, so that a hook after the save is called on the object of the hook before it.
struct LinkedOwners {
    /// The keys, each once, in the order in which they were first linked; a reverted link leaves its key here.
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

/// The objects to and from which others were linked, held strongly until the save: their own registers have not changed,
/// but their relationships have.
struct LinkedOwners {
    /// Each once, in the order in which they were first linked; links that were taken back leave them here.
    private(set) var objects: [ManagedObject] = []
    private var known: Set<ObjectIdentifier> = []

    mutating func insert(_ object: ManagedObject) {
        if known.insert(ObjectIdentifier(object)).inserted { objects.append(object) }
    }

    func contains(_ object: ManagedObject) -> Bool { known.contains(ObjectIdentifier(object)) }

    mutating func removeAll() {
        guard !objects.isEmpty else { return }
        objects = []
        known = []
    }
}

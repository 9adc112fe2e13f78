import TributaryChanges

/// Decides which live objects are visible when several share a unique key (merge statement 15).
///
/// The decision is made once, for the objects that a local transaction, a batch of imported ones or a baseline has touched:
/// changes may exchange keys, and a baseline has the registers of an object that were written after its insert in later
/// lines. Objects that share no key with another one cost one look at an index for each of their keys.
final class UniquenessMerger {
    private let tables: MergeTables
    private let objects: ObjectMerger
    private let changes: KeyChanges
    /// The changed objects that share a key with another one.
    @exclusivity(unchecked) private var contested: Set<ChangeSlice.Object> = []
    /// The keys that visible objects no longer have, and shadows have.
    @exclusivity(unchecked) private var released: Set<KeyChanges.Key> = []
    /// Whether nothing is decided, because a migration runs: it sees no shadows, and ``decideAll(keepsConflicts:)``
    /// follows it.
    @exclusivity(unchecked) var isSuspended = false

    init(_ tables: MergeTables, objects: ObjectMerger) {
        self.tables = tables
        self.objects = objects
        changes = objects.keys
    }

    /// Takes the changes since the last call, and keeps those that may change what is visible.
    func collect() throws {
        guard !changes.isEmpty else { return }
        let taken = changes.take()
        guard !isSuspended else { return }
        for object in taken.objects where try isContested(object) { contested.insert(object) }
        released.formUnion(taken.keys)
    }

    private func isContested(_ object: ChangeSlice.Object) throws -> Bool {
        guard let row = try tables.objects.row(object.table, object.id) else {
            return try tables.shadows.representative(of: object.id, object.table) != nil
        }
        return try tables.keys.keys(of: row, object.table).contains { key in
            try tables.keys.hasOtherHolder(of: key, than: object.id, object.table)
                || tables.shadows.hasHolder(of: key, object.table)
        }
    }

    /// Shows and hides objects until each visible one is the oldest holder of its keys.
    ///
    /// The cost is k log k comparisons for the k objects that share keys with changed ones and come after them in the
    /// order of their inserts.
    ///
    /// - Parameters:
    ///   - keepsConflicts: Whether the values of objects that become shadows go to the conflict journal.
    ///   - isLocal: Whether the changes are those of a local transaction, whose own objects must stay visible.
    /// - Throws: ``StoreError`` `sharesKey` when a local transaction hides an object that it has inserted or given a
    ///   key, and when the store cannot be read or written.
    func decide(keepsConflicts: Bool = true, isLocal: Bool = false) throws {
        try collect()
        if !contested.isEmpty || !released.isEmpty {
            let (objects, keys) = (contested, released)
            (contested, released) = ([], [])
            for table in Set(objects.map(\.table)).union(keys.map(\.table)).sorted() {
                let decision = UniquenessDecision(
                    table,
                    tables,
                    self.objects,
                    keepsConflicts: keepsConflicts,
                    isLocal: isLocal
                )
                try decision.run(
                    changed: objects.filter { $0.table == table }.map(\.id),
                    released: keys.filter { $0.table == table }.map(\.key)
                )
            }
        }
        try objects.decideOwners()
        try objects.links.updateShadows()
    }

    /// Decides about all shadows, and about all visible objects that share keys.
    ///
    /// The shadows that there are must follow from the present constraints, because their keys are stored by the number
    /// of the constraint.
    ///
    /// - Parameter keepsConflicts: Whether the values of objects that become shadows go to the conflict journal.
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    func decideAll(keepsConflicts: Bool) throws {
        for table in tables.layout.tables.indices where tables.keys.hasKeys(table) {
            for id in try tables.keys.duplicates(table).union(tables.shadows.all(table)) {
                contested.insert(ChangeSlice.Object(table: table, id: id))
            }
        }
        try decide(keepsConflicts: keepsConflicts)
    }

    /// Makes all shadows visible, before the model changes.
    func showAll() throws {
        for table in tables.layout.tables.indices {
            for id in try tables.shadows.all(table) { try objects.reveal(table, id) }
        }
        try objects.decideOwners()
        try objects.links.updateShadows()
    }
}

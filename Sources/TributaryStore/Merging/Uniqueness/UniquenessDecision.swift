import TributaryChanges

/// One decision about the objects of a table that share unique keys.
///
/// Objects are decided about in the order of their inserts. A decision about an object depends only on those before it,
/// so each object is decided about once; when one appears or disappears, the holders of its keys that come after it are
/// decided about as well.
final class UniquenessDecision {
    private let table: Int
    private let tables: MergeTables
    private let objects: ObjectMerger
    /// Whether the values of objects that become shadows go to the conflict journal.
    private let keepsConflicts: Bool
    /// Whether a changed object that is visible must stay so.
    private let isLocal: Bool
    private var queue = KeyHolderQueue()
    private var known: Set<UniqueID> = []
    private var changed: Set<UniqueID> = []
    /// The visible holder of each key looked up so far; nil when there is none.
    ///
    /// Objects that wait in the queue do not count.
    private var owners: [StoredKey: KeyHolder?] = [:]

    init(_ table: Int, _ tables: MergeTables, _ objects: ObjectMerger, keepsConflicts: Bool, isLocal: Bool) {
        self.table = table
        self.tables = tables
        self.objects = objects
        self.keepsConflicts = keepsConflicts
        self.isLocal = isLocal
    }

    func run(changed ids: [UniqueID], released keys: [StoredKey]) throws {
        changed = Set(ids)
        for id in ids { try insert(id, after: nil) }
        for key in keys {
            for id in try tables.shadows.holders(of: key, table) { try insert(id, after: nil) }
        }
        while let holder = queue.removeFirst() { try decide(holder) }
    }

    private func decide(_ holder: KeyHolder) throws {
        let blocking = try holder.keys.compactMap { try owner(of: $0) }.filter { $0 < holder }.min()
        let isChanged = changed.contains(holder.id)
        guard let blocking else {
            if holder.representative != nil { try objects.reveal(table, holder.id) }
            for key in holder.keys { owners[key] = .some(holder) }
            if isChanged || holder.representative != nil { try insertHolders(of: holder.keys, after: holder) }
            return
        }
        if let representative = holder.representative {
            guard representative != blocking.id else { return }
            return try objects.represent(table, holder.id, by: blocking.id, insteadOf: representative)
        }
        if isLocal, isChanged, let key = try sharedKey(of: holder, with: blocking) { throw StoreError.sharesKey(key) }
        for key in holder.keys where owners[key]??.id == holder.id { owners[key] = .some(nil) }
        try objects.hide(table, holder, behind: blocking, keepsConflict: keepsConflicts)
        // Keys that a changed object had before have been released.
        if !isChanged { try insertHolders(of: holder.keys, after: holder) }
    }

    private func sharedKey(of holder: KeyHolder, with blocking: KeyHolder) throws -> SharedKey? {
        let layout = tables.layout
        guard let (index, values) = holder.keys.first(where: { blocking.keys.contains($0) })?.content,
            layout.uniqueConstraints[table].indices.contains(index),
            let object = try tables.objects.row(table, holder.id),
            let other = try tables.objects.row(table, blocking.id)
        else { return nil }
        let constraint = layout.uniqueConstraints[table][index]
        return SharedKey(
            object: layout.objectID(holder.id, of: layout.entities[object.entity]),
            other: layout.objectID(blocking.id, of: layout.entities[other.entity]),
            entity: constraint.owner,
            properties: constraint.names,
            values: values
        )
    }

    /// The visible holder of a key that needs no decision, or about which the decision is made.
    ///
    /// Before the changes at most one object showed the key, and the changed objects are in the queue.
    private func owner(of key: StoredKey) throws -> KeyHolder? {
        if let found = owners[key] { return found }
        let settled = try tables.keys.visibleHolders(of: key, table).first { !known.contains($0) }
        let found = try settled.flatMap { try holder($0) }
        owners[key] = .some(found)
        return found
    }

    private func insertHolders(of keys: [StoredKey], after holder: KeyHolder) throws {
        for key in keys {
            for id in try tables.keys.visibleHolders(of: key, table) { try insert(id, after: holder) }
            for id in try tables.shadows.holders(of: key, table) { try insert(id, after: holder) }
        }
    }

    private func insert(_ id: UniqueID, after first: KeyHolder?) throws {
        guard !known.contains(id), let holder = try holder(id) else { return }
        if let first, holder < first || holder == first { return }
        known.insert(id)
        queue.insert(holder)
    }

    /// A live object; nil for any other.
    private func holder(_ id: UniqueID) throws -> KeyHolder? {
        if let row = try tables.objects.row(table, id) {
            return KeyHolder(
                id: id,
                number: row.versions.inserted,
                inserted: try tables.versions.version(row.versions.inserted),
                keys: try tables.keys.keys(of: row, table)
            )
        }
        guard let partial = try tables.partialRows.row(table, id), let shadow = partial.shadow else { return nil }
        return KeyHolder(
            id: id,
            number: shadow.inserted,
            inserted: try tables.versions.version(shadow.inserted),
            keys: tables.keys.keys(of: partial, table),
            representative: shadow.representative
        )
    }
}

package import TributaryChanges

/// Decides which live objects are visible when several share a unique key (merge statement 15).
///
/// It decides at the end of a transaction (slices may exchange keys) or of a group of rows that are merged together. To
/// bound memory it decides in parts if very many objects share keys, but never for a baseline: its keys are incomplete
/// until all registers are merged. An object without shared keys costs one index look-up for each key.
final class UniquenessMerger {
    private let tables: MergeTables
    private let objects: ObjectMerger
    private let changes: KeyChanges
    @exclusivity(unchecked) private var sharing: Set<ChangeSlice.Object> = []
    @exclusivity(unchecked) private var released: Set<KeyChanges.Key> = []
    /// With so many pending objects it decides before the end of the transaction; each takes about 300 bytes.
    @exclusivity(unchecked) var limit = 100_000
    /// True during a migration, which works without shadows; ``decideAll(keepsConflicts:)`` follows.
    @exclusivity(unchecked) var isSuspended = false

    init(_ tables: MergeTables, objects: ObjectMerger) {
        self.tables = tables
        self.objects = objects
        changes = objects.keys
    }

    var pendingCount: Int {
        sharing.count + released.count + objects.links.pendingCount + objects.references.pendingCount
    }

    var isFull: Bool { pendingCount >= limit }

    func collect() throws {
        guard !changes.isEmpty else { return }
        let taken = changes.take()
        guard !isSuspended else { return }
        for object in taken.objects where tables.keys.refersInKeys(object.table) {
            if let row = try tables.objects.row(object.table, object.id) { try tables.keys.index(row, object.table) }
        }
        for object in taken.objects where try sharesKey(object) { sharing.insert(object) }
        released.formUnion(taken.keys)
    }

    private func sharesKey(_ object: ChangeSlice.Object) throws -> Bool {
        guard let row = try tables.objects.row(object.table, object.id) else {
            return try tables.shadows.representative(of: object.id, object.table) != nil
        }
        return try tables.keys.keys(of: row, object.table).contains { key in
            try tables.shadows.hasHolder(of: key, object.table, than: object.id)
                || tables.keys.hasOtherHolder(of: key, than: object.id, object.table)
        }
    }

    /// Shows and hides objects until each visible object is the oldest holder of its keys.
    ///
    /// Costs O(k log k) for k younger objects that share keys with changed objects. With `isLocal`, throws `sharesKey`
    /// instead of hiding an object that the transaction inserted or gave a key, or another object behind it.
    func decide(keepsConflicts: Bool = true, isLocal: Bool = false) throws {
        try collect()
        if !sharing.isEmpty || !released.isEmpty {
            let (objects, keys) = (sharing, released)
            (sharing, released) = ([], [])
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
        try objects.references.decidePending()
        try objects.links.updateShadows()
    }

    /// Stored keys contain the number of their constraint, so all shadows are decided again when the model changes.
    func decideAll(keepsConflicts: Bool) throws {
        for table in tables.layout.tables.indices where tables.keys.hasKeys(table) {
            let waiting = try tables.keys.waiting(table)
            for id in waiting {
                if let row = try tables.objects.row(table, id) { try tables.keys.index(row, table) }
            }
            for id in try waiting.union(tables.keys.duplicates(table)).union(tables.shadows.all(table)) {
                sharing.insert(ChangeSlice.Object(table: table, id: id))
            }
        }
        try decide(keepsConflicts: keepsConflicts)
    }

    func showAll() throws {
        for table in tables.layout.tables.indices {
            for id in try tables.shadows.all(table) { try objects.show(.itself, forShadow: id, table) }
            try tables.shadows.removeAllKeys(table)
        }
        try objects.references.decidePending()
        try objects.links.updateShadows()
    }
}

/// Decides about objects in the order of their inserts, each once: a decision depends only on earlier objects.
final class UniquenessDecision {
    private let table: Int
    private let tables: MergeTables
    private let objects: ObjectMerger
    private let keepsConflicts: Bool
    private let isLocal: Bool
    private var queue = Heap<KeyHolder>()
    private var known: Set<UniqueID> = []
    private var changed: Set<UniqueID> = []
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
            if holder.representative != nil { try objects.show(.itself, forShadow: holder.id, table) }
            for key in holder.keys { owners[key] = .some(holder) }
            if isChanged || holder.representative != nil { try insertHolders(of: holder.keys, after: holder) }
            return
        }
        if let representative = holder.representative {
            guard representative != blocking.id else { return }
            return try objects.show(.other(blocking.id), forShadow: holder.id, table)
        }
        if isLocal, isChanged, let key = try sharedKey(of: holder, with: blocking) { throw StoreError.sharesKey(key) }
        if isLocal, changed.contains(blocking.id), let key = try sharedKey(of: blocking, with: holder) {
            throw StoreError.sharesKey(key)
        }
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

    /// There is at most one: before the changes only one object showed the key, and changed objects are in the queue.
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

final class KeyChanges {
    struct Key: Hashable {
        var table: Int
        var key: StoredKey
    }

    private let tables: MergeTables
    /// Objects that appeared, or have changed keys or versions.
    @exclusivity(unchecked) private(set) var objects: Set<ChangeSlice.Object> = []
    @exclusivity(unchecked) private(set) var keys: Set<Key> = []

    init(_ tables: MergeTables) {
        self.tables = tables
    }

    var isEmpty: Bool { objects.isEmpty && keys.isEmpty }

    @inline(__always)
    func insert(_ table: Int, _ id: UniqueID) {
        guard tables.keys.hasKeys(table) else { return }
        objects.insert(ChangeSlice.Object(table: table, id: id))
    }

    func release(_ row: VisibleRow, _ table: Int) throws {
        if let former = try awaited(of: row, table) { try release(former, row.id, table) }
    }

    func awaited(of row: VisibleRow, _ table: Int) throws -> [StoredKey]? {
        guard tables.shadows.hasRows, tables.keys.hasKeys(table) else { return nil }
        return try tables.keys.keys(of: row, table)
    }

    func insert(_ row: VisibleRow, _ table: Int, after former: [StoredKey]?, isInsert: Bool) throws {
        if let former {
            if try !isInsert && tables.keys.keys(of: row, table) == former { return }
            try release(former, row.id, table)
        }
        insert(table, row.id)
    }

    private func release(_ former: [StoredKey], _ id: UniqueID, _ table: Int) throws {
        for key in former where try tables.shadows.hasHolder(of: key, table, than: id) {
            keys.insert(Key(table: table, key: key))
        }
    }

    func take() -> (objects: Set<ChangeSlice.Object>, keys: Set<Key>) {
        defer { (objects, keys) = ([], []) }
        return (objects, keys)
    }
}

/// A live object with its unique keys; the lesser of two holders keeps a shared key.
struct KeyHolder: Comparable {
    var id: UniqueID
    var number: Int64
    var inserted: Version
    var keys: [StoredKey]
    var representative: UniqueID?

    static func == (left: KeyHolder, right: KeyHolder) -> Bool { left.id == right.id }

    static func < (left: KeyHolder, right: KeyHolder) -> Bool {
        return left.inserted == right.inserted ? left.id < right.id : left.inserted < right.inserted
    }
}

package struct SharedKey: Hashable, Sendable {
    package var object: ManagedObjectID
    /// An older object that the transaction would show again, or a younger object that it would hide.
    package var other: ManagedObjectID
    package var entity: String
    package var properties: [String]
    package var values: [PropertyValue]
}

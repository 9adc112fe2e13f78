import CLinux
import Synchronization
import TributaryChanges
import TributaryStore

final class ObjectRegistry {
    /// Objects remove themselves on any thread; all else stays on the context's queue or actor.
    let table: LiveObjectTable
    /// An object that is gone and still in use is found here, so that it stays the same object when it returns.
    let goneTable: LiveObjectTable
    private var hasGone = false
    private(set) var isRetaining = false
    private var held: Set<ManagedObject> = []
    private var readers: Set<ObjectKey> = []

    private var recentKind: EntityDescriptor?

    init(rootCount: Int) {
        table = LiveObjectTable(rootCount: rootCount)
        goneTable = LiveObjectTable(rootCount: rootCount)
    }

    func goneObject(_ id: UniqueID, rootIndex: Int) -> ManagedObject? {
        guard hasGone else { return nil }
        if let object = goneTable.object(id, rootIndex: rootIndex) { return object }
        if goneTable.count == 0 { hasGone = false }
        return nil
    }

    var goneObjects: [ManagedObject] { hasGone ? goneTable.objects : [] }

    func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? { table.object(id, rootIndex: rootIndex) }

    func descriptor(named name: String, in schema: ObjectSchema) -> EntityDescriptor? {
        if let recentKind, recentKind.entity.name == name { return recentKind }
        guard let descriptor = schema.descriptor(named: name) else { return nil }
        recentKind = descriptor
        return descriptor
    }

    func descriptor(of row: Row, in schema: ObjectSchema) -> EntityDescriptor? {
        if let recentKind, recentKind.entity === row.entity { return recentKind }
        return descriptor(named: row.entity.name, in: schema)
    }

    var objects: [ManagedObject] { table.objects }

    var count: Int { table.count }

    var relationshipReaders: [ManagedObject] {
        var live: [ManagedObject] = []
        readers = readers.filter { key in
            guard let object = table.object(key.id, rootIndex: key.rootIndex),
                object.extras?.related.isEmpty == false
            else { return false }
            live.append(object)
            return true
        }
        return live
    }

    func keep(_ ids: [ManagedObjectID], at propertyIndex: Int, of object: ManagedObject) {
        object.makeExtras().related[propertyIndex] = ids
        readers.insert(object.key)
        if readers.count > 2 * count + ObjectRegistry.leastReaders { _ = relationshipReaders }
    }

    private static let leastReaders = 1_024

    func retain(_ isRetaining: Bool) {
        guard self.isRetaining != isRetaining else { return }
        self.isRetaining = isRetaining
        held = isRetaining ? Set(objects) : []
    }

    func register(_ object: ManagedObject) {
        if isRetaining {
            if let former = table.object(object.uniqueID, rootIndex: object.descriptor.rootIndex) {
                held.remove(former)
            }
            held.insert(object)
        }
        table.insert(object)
        if object.extras?.related.isEmpty == false { readers.insert(object.key) }
    }

    func remove(_ object: ManagedObject) {
        table.remove(object)
        goneTable.insert(object)
        hasGone = true
        if isRetaining { held.remove(object) }
    }

    func removeAll() {
        table.removeAll()
        goneTable.removeAll()
        hasGone = false
        held = []
        readers = []
    }
}

/// The live objects of a context by ID; it does not retain them, and an object removes itself when it ends.
///
/// A weak reference would make every later retain and release several times as expensive as reading an attribute. The
/// last reference to an object may be released on another queue, so the table has a lock: an object that ends waits for
/// it before its memory is freed. Nothing is released under the lock.
final class LiveObjectTable: Sendable {
    private struct State {
        var tables: [AddressTable]

        init(rootCount: Int) {
            // The last table is for objects of entities that the model does not have.
            tables = (0...rootCount).map { _ in AddressTable() }
        }
    }

    private let state: Mutex<State>

    init(rootCount: Int) {
        state = Mutex(State(rootCount: rootCount))
    }

    var count: Int { state.withLock { $0.tables.reduce(0) { $0 + $1.count } } }

    func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? {
        let retained = state.withLock { state in
            state.tables[rootIndex][id].flatMap(LiveObjectTable.retain)
        }
        return retained.flatMap(LiveObjectTable.takeRetained)
    }

    var objects: [ManagedObject] {
        let retained = state.withLock { $0.tables.flatMap { $0.addresses.compactMap(LiveObjectTable.retain) } }
        return retained.compactMap(LiveObjectTable.takeRetained)
    }

    func insert(_ object: ManagedObject) {
        let (id, table, address) = (object.uniqueID, object.descriptor.rootIndex, LiveObjectTable.address(of: object))
        object.tablePlace = state.withLock { UInt32(truncatingIfNeeded: $0.tables[table].insert(address, for: id)) }
    }

    func remove(_ object: ManagedObject) {
        let (id, table, address) = (object.uniqueID, object.descriptor.rootIndex, LiveObjectTable.address(of: object))
        let place = Int(object.tablePlace)
        state.withLock { $0.tables[table].remove(address, for: id, at: place) }
    }

    func removeAll() {
        state.withLock { $0 = State(rootCount: $0.tables.count - 1) }
    }

    func reserve(_ count: Int, rootIndex: Int) {
        state.withLock { $0.tables[rootIndex].reserve(count) }
    }

    private static func address(of object: ManagedObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// Retains the object at an address for `takeRetained` to release; nil when its deinitialization has begun.
    ///
    /// `swift_tryRetain` is not public; Swift's runtime exports it for `unowned` references, and `RuntimeRetainTests`
    /// checks it. A weak reference makes each later retain and release 3.3 times as expensive (13.7 and 46.0 ns).
    static func retain(_ address: UInt) -> UInt? {
        UnsafeMutableRawPointer(bitPattern: address).flatMap { swift_tryRetain($0) }.map { UInt(bitPattern: $0) }
    }

    private static func takeRetained(_ address: UInt) -> ManagedObject? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0).takeRetainedValue() }
    }
}

/// Addresses of objects by ID, for look-ups at half the cost of a dictionary.
///
/// Objects that were fetched together have adjacent slots and mostly end together. The seed is random, so that nobody
/// can write IDs with equal hashes into a log.
struct AddressTable {
    private struct Slot {
        var id = UniqueID(high: 0, low: 0)
        var address: UInt = 0
    }

    private struct Entry {
        var hash: UInt32 = 0
        /// 0 when the entry is free; the first slot is always empty.
        var slot: UInt32 = 0
    }

    private var slots = AddressTable.noSlots
    private var entries = AddressTable.noEntries
    private(set) var count = 0
    private let seed = UniqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    // New tables share these arrays, because a context has a table for each root entity.
    private static let noSlots = [Slot()]
    private static let noEntries = Array(repeating: Entry(), count: 16)

    subscript(_ id: UniqueID) -> UInt? {
        let address = slots[slot(of: id)].address
        return address == 0 ? nil : address
    }

    var addresses: [UInt] { slots.compactMap { $0.address == 0 ? nil : $0.address } }

    /// Returns the slot of the address; it changes when empty slots are dropped.
    mutating func insert(_ address: UInt, for id: UniqueID) -> Int {
        reserve(1)
        let hash = hash(id)
        let index = index(of: id, hash)
        if entries[index].slot == 0 {
            entries[index] = Entry(hash: hash, slot: UInt32(slots.count))
            slots.append(Slot(id: id))
        }
        let slot = Int(entries[index].slot)
        if slots[slot].address == 0 { count += 1 }
        slots[slot].address = address
        return slot
    }

    mutating func remove(_ address: UInt, for id: UniqueID, at place: Int) {
        let isThere = place < slots.count && slots[place].address == address
        let slot = isThere ? place : slot(of: id)
        guard slots[slot].address == address else { return }
        slots[slot].address = 0
        count -= 1
        if slots.count > max(count * 16, AddressTable.noEntries.count) { rebuild(for: count) }
    }

    mutating func reserve(_ additional: Int) {
        guard !holds(slots.count + additional) else { return }
        // A third of the room is free afterwards, so that all slots are rarely copied.
        rebuild(for: max(count + additional, count * 3 / 2))
    }

    private func holds(_ total: Int, in size: Int? = nil) -> Bool { total * 4 <= (size ?? entries.count) * 3 }

    private mutating func rebuild(for total: Int) {
        if count < slots.count - 1 { dropEmptySlots() }
        var size = AddressTable.noEntries.count
        while !holds(total + 1, in: size) { size *= 2 }
        // A reservation for each growth by one would copy the array too often.
        if total > count * 2 { slots.reserveCapacity(total + 1) }
        let former = entries
        entries = Array(repeating: Entry(), count: size)
        // The former entries are nearly in the order of the new ones, so memory is written in sequence.
        for entry in former where entry.slot != 0 {
            var index = Int(entry.hash) & (size - 1)
            while entries[index].slot != 0 { index = (index + 1) & (size - 1) }
            entries[index] = entry
        }
    }

    /// The caller must place the entries again.
    private mutating func dropEmptySlots() {
        let former = slots
        slots = AddressTable.noSlots
        var places = [UInt32](repeating: 0, count: former.count)
        for (place, slot) in former.enumerated() where slot.address != 0 {
            places[place] = UInt32(slots.count)
            slots.append(slot)
        }
        for index in entries.indices { entries[index].slot = places[Int(entries[index].slot)] }
    }

    private func slot(of id: UniqueID) -> Int { Int(entries[index(of: id, hash(id))].slot) }

    private func index(of id: UniqueID, _ hash: UInt32) -> Int {
        let mask = entries.count - 1
        var index = Int(hash) & mask
        while entries[index].slot != 0, entries[index].hash != hash || slots[Int(entries[index].slot)].id != id {
            index = (index + 1) & mask
        }
        return index
    }

    private func hash(_ id: UniqueID) -> UInt32 {
        let product = (id.high ^ seed.high).multipliedFullWidth(by: id.low ^ seed.low)
        return UInt32(truncatingIfNeeded: product.high ^ product.low)
    }
}

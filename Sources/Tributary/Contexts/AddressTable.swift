import TributaryChanges

/// Addresses of objects by ID, for look-ups at half the cost of a dictionary.
///
/// The addresses are kept in slots, in the order of insertion; a hash table with open addressing has the slot of each
/// ID. A removal that knows the slot searches nothing: objects that were fetched together mostly end together, so their
/// slots are neighbours, where entries of the hash table would be anywhere in memory. Empty slots are dropped when room
/// is needed, or when most slots are empty. The seed is random for each table, so that nobody can write IDs into a log
/// that all have one hash.
struct AddressTable {
    private struct Slot {
        var id = UniqueID(high: 0, low: 0)
        /// 0 when the slot is empty.
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

    /// Returns the slot of the address, which it leaves when empty slots are dropped.
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

    /// Removes an address, which is probably in the slot `place`; does nothing when the ID has another one.
    mutating func remove(_ address: UInt, for id: UniqueID, at place: Int) {
        let isThere = place < slots.count && slots[place].address == address
        let slot = isThere ? place : slot(of: id)
        guard slots[slot].address == address else { return }
        slots[slot].address = 0
        count -= 1
        if slots.count > max(count * 16, AddressTable.noEntries.count) { rebuild(for: count) }
    }

    /// Makes room for further addresses.
    mutating func reserve(_ additional: Int) {
        guard !holds(slots.count + additional) else { return }
        // A third of the room is free afterwards, so that a copy of all slots is seldom.
        rebuild(for: max(count + additional, count * 3 / 2))
    }

    private func holds(_ total: Int, in size: Int? = nil) -> Bool { total * 4 <= (size ?? entries.count) * 3 }

    private mutating func rebuild(for total: Int) {
        if count < slots.count - 1 { dropEmptySlots() }
        var size = AddressTable.noEntries.count
        while !holds(total + 1, in: size) { size *= 2 }
        // With a reserve for each growth by one, the array would be copied more often than it has to be.
        if total > count * 2 { slots.reserveCapacity(total + 1) }
        let former = entries
        entries = Array(repeating: Entry(), count: size)
        // In the order of the former entries, which is nearly that of the new ones, memory is written in sequence.
        for entry in former where entry.slot != 0 {
            var index = Int(entry.hash) & (size - 1)
            while entries[index].slot != 0 { index = (index + 1) & (size - 1) }
            entries[index] = entry
        }
    }

    /// Moves the addresses together; the entries have to be placed anew.
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

    /// Returns the index of the ID's entry, or of the free one that it would get.
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

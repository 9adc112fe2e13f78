import TributaryChanges

/// Addresses of objects by ID, for look-ups at half the cost of a dictionary.
///
/// The addresses are kept in slots, in the order of insertion; a hash table with open addressing has the slot of each
/// ID. A removal with the right slot empties it and searches nothing: objects that were fetched together mostly end
/// together, so their slots are neighbours, where entries of the hash table would be anywhere in memory. Empty slots
/// are dropped when the table needs room, or is mostly empty. The seed is random for each table, so that nobody can
/// write IDs into a log that all have one hash.
struct AddressTable {
    private struct Slot {
        let id: UniqueID
        /// 0 when the slot is empty.
        var address: UInt
    }

    private struct Entry {
        var hash: UInt32 = 0
        /// The number of the slot, from 1; 0 when the entry is free.
        var slot: UInt32 = 0
    }

    private var slots: [Slot] = []
    private var entries: [Entry] = []
    private(set) var count = 0
    private let seed = UniqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    private static let leastEntries = 16

    subscript(_ id: UniqueID) -> UInt? {
        guard count > 0, let slot = slot(entries[index(of: id, hash(id))]), slots[slot].address != 0 else { return nil }
        return slots[slot].address
    }

    var addresses: [UInt] { slots.compactMap { $0.address == 0 ? nil : $0.address } }

    /// Returns the slot of the address; a later insertion or removal of others may move it to a lower one.
    mutating func insert(_ address: UInt, for id: UniqueID) -> Int {
        reserve(1)
        let hash = hash(id)
        let index = index(of: id, hash)
        if let slot = slot(entries[index]) {
            if slots[slot].address == 0 { count += 1 }
            slots[slot].address = address
            return slot
        }
        count += 1
        slots.append(Slot(id: id, address: address))
        entries[index] = Entry(hash: hash, slot: UInt32(slots.count))
        return slots.count - 1
    }

    /// Removes an address; does nothing when the ID has another one. It is searched unless it is in the slot `place`.
    mutating func remove(_ address: UInt, for id: UniqueID, at place: Int) {
        if slots.indices.contains(place), slots[place].address == address {
            slots[place].address = 0
        } else {
            guard count > 0, let slot = slot(entries[index(of: id, hash(id))]), slots[slot].address == address else {
                return
            }
            slots[slot].address = 0
        }
        count -= 1
        if count * 16 < slots.count, slots.count > AddressTable.leastEntries { rebuild(for: count) }
    }

    /// Makes room for further addresses.
    mutating func reserve(_ additional: Int) {
        guard !AddressTable.holds(slots.count + additional, in: entries.count) else { return }
        // A third of the room is free afterwards, so that a copy of all slots is seldom.
        rebuild(for: max(count + additional, count * 3 / 2))
    }

    private static func holds(_ count: Int, in entries: Int) -> Bool { count * 4 <= entries * 3 }

    private mutating func rebuild(for total: Int) {
        slots = slots.filter { $0.address != 0 }
        slots.reserveCapacity(total)
        var size = AddressTable.leastEntries
        while !AddressTable.holds(total, in: size) { size *= 2 }
        entries = Array(repeating: Entry(), count: size)
        for (slot, id) in slots.lazy.map(\.id).enumerated() {
            let hash = hash(id)
            entries[index(of: id, hash)] = Entry(hash: hash, slot: UInt32(slot + 1))
        }
    }

    @inline(__always)
    private func slot(_ entry: Entry) -> Int? { entry.slot == 0 ? nil : Int(entry.slot) - 1 }

    /// Returns the index of the ID's entry, or of the free one that it would get.
    private func index(of id: UniqueID, _ hash: UInt32) -> Int {
        let mask = entries.count - 1
        var index = Int(hash) & mask
        while entries[index].slot != 0 {
            if entries[index].hash == hash, slots[Int(entries[index].slot) - 1].id == id { break }
            index = (index + 1) & mask
        }
        return index
    }

    private func hash(_ id: UniqueID) -> UInt32 {
        let product = (id.high ^ seed.high).multipliedFullWidth(by: id.low ^ seed.low)
        return UInt32(truncatingIfNeeded: product.high ^ product.low)
    }
}

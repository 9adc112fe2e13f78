import TributaryChanges

/// Addresses of objects by ID, for look-ups at half the cost of a dictionary.
///
/// It is a hash table with open addressing: an entry whose index is taken goes to the next free one. The seed
/// is random for each table, so that nobody can write IDs into a log that all have one hash.
struct AddressTable {
    private struct Entry {
        var id: UniqueID
        var address: UInt
    }

    private var entries: [Entry] = []
    private(set) var count = 0
    private let seed = UniqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    private static let leastEntries = 16

    subscript(_ id: UniqueID) -> UInt? {
        guard count > 0 else { return nil }
        let entry = entries[index(of: id)]
        return entry.address == 0 ? nil : entry.address
    }

    var addresses: [UInt] { entries.compactMap { $0.address == 0 ? nil : $0.address } }

    mutating func insert(_ address: UInt, for id: UniqueID) {
        reserve(count + 1)
        let index = index(of: id)
        if entries[index].address == 0 { count += 1 }
        entries[index] = Entry(id: id, address: address)
    }

    mutating func remove(_ address: UInt, for id: UniqueID) {
        guard count > 0 else { return }
        var hole = index(of: id)
        guard entries[hole].address == address else { return }
        count -= 1
        // The entries that follow without a gap may belong in the freed one.
        var next = hole
        while true {
            next = (next + 1) & mask
            guard entries[next].address != 0 else { break }
            let wanted = preferredIndex(of: entries[next].id)
            if (next - wanted) & mask >= (next - hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
        }
        entries[hole].address = 0
        if entries.count > AddressTable.leastEntries, count * 8 < entries.count { resize(entries.count / 2) }
    }

    mutating func reserve(_ total: Int) {
        var wanted = max(entries.count, AddressTable.leastEntries)
        while total * 4 > wanted * 3 { wanted *= 2 }
        if wanted != entries.count { resize(wanted) }
    }

    private mutating func resize(_ size: Int) {
        let former = entries
        entries = Array(repeating: Entry(id: UniqueID(high: 0, low: 0), address: 0), count: size)
        for entry in former where entry.address != 0 { entries[index(of: entry.id)] = entry }
    }

    private var mask: Int { entries.count - 1 }

    private func index(of id: UniqueID) -> Int {
        var index = preferredIndex(of: id)
        while entries[index].address != 0, entries[index].id != id { index = (index + 1) & mask }
        return index
    }

    private func preferredIndex(of id: UniqueID) -> Int {
        let product = (id.high ^ seed.high).multipliedFullWidth(by: id.low ^ seed.low)
        return Int(truncatingIfNeeded: product.high ^ product.low) & mask
    }
}

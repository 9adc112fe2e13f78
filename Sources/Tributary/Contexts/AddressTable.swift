import TributaryChanges

/// Addresses of objects by ID, where each object of a fetch is looked for and put in: half as expensive as a dictionary.
///
/// A hash table with open addressing: what finds its place taken goes to the next one that is free. The seed is drawn
/// for each table, so that nobody can write IDs into a log that all want one place.
struct AddressTable {
    private struct Entry {
        var id: UniqueID
        /// 0 where nothing is.
        var address: UInt
    }

    private var entries: [Entry] = []
    private(set) var count = 0
    private let seed = UniqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    private static let leastEntries = 16

    /// The address of an ID; nil when there is none.
    subscript(_ id: UniqueID) -> UInt? {
        guard count > 0 else { return nil }
        let entry = entries[index(of: id)]
        return entry.address == 0 ? nil : entry.address
    }

    var addresses: [UInt] { entries.compactMap { $0.address == 0 ? nil : $0.address } }

    /// Puts an address in the place of whatever had its ID.
    mutating func insert(_ address: UInt, for id: UniqueID) {
        reserve(count + 1)
        let index = index(of: id)
        if entries[index].address == 0 { count += 1 }
        entries[index] = Entry(id: id, address: address)
    }

    /// Takes an ID out, if it has this address.
    mutating func remove(_ address: UInt, for id: UniqueID) {
        guard count > 0 else { return }
        var hole = index(of: id)
        guard entries[hole].address == address else { return }
        count -= 1
        // What follows without a gap may have wanted the place that is free now.
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

    /// Makes room for so many in all.
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

    /// Where the ID is, or the free place where it belongs.
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

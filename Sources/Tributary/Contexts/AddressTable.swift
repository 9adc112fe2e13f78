import TributaryChanges

/// Addresses of objects by ID, where each object of a fetch is looked for and put in: half as expensive as a dictionary.
///
/// A hash table with open addressing: what finds its place taken goes to the next one that is free. The seed is drawn
/// for each table, so that nobody can write IDs into a log that all want one place.
struct AddressTable {
    private struct Place {
        var id: UniqueID
        /// 0 where nothing is.
        var address: UInt
    }

    private var places: [Place] = []
    private(set) var count = 0
    private let seed = UniqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    private static let leastPlaces = 16

    /// The address of an ID; nil when there is none.
    subscript(_ id: UniqueID) -> UInt? {
        guard count > 0 else { return nil }
        let place = places[place(of: id)]
        return place.address == 0 ? nil : place.address
    }

    var addresses: [UInt] { places.compactMap { $0.address == 0 ? nil : $0.address } }

    /// Puts an address in the place of whatever had its ID.
    mutating func insert(_ address: UInt, for id: UniqueID) {
        reserve(count + 1)
        let index = place(of: id)
        if places[index].address == 0 { count += 1 }
        places[index] = Place(id: id, address: address)
    }

    /// Takes an ID out, if it has this address.
    mutating func remove(_ address: UInt, for id: UniqueID) {
        guard count > 0 else { return }
        var hole = place(of: id)
        guard places[hole].address == address else { return }
        count -= 1
        // What follows without a gap may have wanted the place that is free now.
        var next = hole
        while true {
            next = (next + 1) & mask
            guard places[next].address != 0 else { break }
            let wanted = wantedPlace(of: places[next].id)
            if (next - wanted) & mask >= (next - hole) & mask {
                places[hole] = places[next]
                hole = next
            }
        }
        places[hole].address = 0
        if places.count > AddressTable.leastPlaces, count * 8 < places.count { resize(places.count / 2) }
    }

    /// Makes room for so many in all.
    mutating func reserve(_ total: Int) {
        var wanted = max(places.count, AddressTable.leastPlaces)
        while total * 4 > wanted * 3 { wanted *= 2 }
        if wanted != places.count { resize(wanted) }
    }

    private mutating func resize(_ size: Int) {
        let former = places
        places = Array(repeating: Place(id: UniqueID(high: 0, low: 0), address: 0), count: size)
        for place in former where place.address != 0 { places[self.place(of: place.id)] = place }
    }

    private var mask: Int { places.count - 1 }

    /// Where the ID is, or the free place where it belongs.
    private func place(of id: UniqueID) -> Int {
        var index = wantedPlace(of: id)
        while places[index].address != 0, places[index].id != id { index = (index + 1) & mask }
        return index
    }

    private func wantedPlace(of id: UniqueID) -> Int {
        let product = (id.high ^ seed.high).multipliedFullWidth(by: id.low ^ seed.low)
        return Int(truncatingIfNeeded: product.high ^ product.low) & mask
    }
}

import TestSupport
import Testing

@testable import Tributary

/// The hash table of a context's objects does what a dictionary does.
struct AddressTableTests {
    /// IDs from so few that they are often put in again and taken out again.
    private static func id(_ random: inout SeededGenerator) -> UniqueID {
        UniqueID(high: .random(in: 0..<8, using: &random), low: .random(in: 0..<64, using: &random))
    }

    @Test func randomStepsLeaveWhatADictionaryHas() {
        var random = SeededGenerator.printingSeed()
        for _ in 0..<40 {
            var table = AddressTable()
            var dictionary: [UniqueID: UInt] = [:]
            var places: [UInt: Int] = [:]
            for step in 1...2000 {
                let id = AddressTableTests.id(&random)
                // An address belongs to one ID, as the address of an object does.
                let address = UInt(id.high << 6 | id.low) << 2 | .random(in: 1...3, using: &random)
                switch Int.random(in: 0..<8, using: &random) {
                case 0...(step < 1000 ? 4 : 2):
                    places[address] = table.insert(address, for: id)
                    dictionary[id] = address
                case 7 where step % 500 == 0: table.reserve(.random(in: 0...4000, using: &random))
                default:
                    table.remove(address, for: id, at: places[address] ?? 0)
                    if dictionary[id] == address { dictionary[id] = nil }
                }
                guard table[id] == dictionary[id], table.count == dictionary.count else {
                    Issue.record("step \(step): \(table[id] ?? 0) for \(dictionary[id] ?? 0)")
                    return
                }
            }
            #expect(table.addresses.sorted() == dictionary.values.sorted())
            for id in dictionary.keys where table[id] != dictionary[id] { Issue.record("\(id) is lost") }
        }
    }

    @Test func theRestOfManyAddressesIsFound() {
        var table = AddressTable()
        let ids = (0..<20_000).map { UniqueID(high: UInt64($0) << 16, low: UInt64($0)) }
        let places = ids.enumerated().map { table.insert(UInt($0 + 1), for: $1) }
        for (index, id) in ids.enumerated() where index % 100 != 0 {
            table.remove(UInt(index + 1), for: id, at: places[index])
        }
        #expect(table.count == 200)
        #expect(ids.enumerated().allSatisfy { table[$1] == ($0 % 100 == 0 ? UInt($0 + 1) : nil) })
    }
}

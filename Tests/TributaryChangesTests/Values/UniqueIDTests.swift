import Foundation
import TestSupport
import Testing
import TributaryChanges

@Suite("Unique IDs")
struct UniqueIDTests {
    @Test("text, bytes and Foundation's value say the same")
    func roundTrips() {
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<1_000 {
            let id = UniqueID(high: random.next(), low: random.next())
            #expect(UniqueID(id.description) == id, "seed \(random.seed)")
            #expect(UniqueID(id.description.uppercased()) == id)
            #expect(UniqueID(id.uuid) == id)
            #expect(id.uuid.uuidString.lowercased() == id.description)
            #expect(id.bytes.withUnsafeBytes { UniqueID(bytes: $0) } == id)
        }
    }

    @Test("a prefix of 8 to 35 characters stands for the IDs that begin with it")
    func prefixes() throws {
        let text = "0190f1a2-0000-7000-8000-00000000000a"
        let id = try #require(UniqueID(text))
        for count in 8..<36 {
            let range = try #require(UniqueID.range(ofPrefix: String(text.prefix(count).uppercased())))
            #expect(range.contains(id) && range.lowerBound.description.hasPrefix(text.prefix(count)))
            #expect(range.upperBound.description.hasPrefix(text.prefix(count)))
        }
        for refused in ["", "0190f1a", text, "0190f1ag", "0190f1a20", "éééé0190", "0190f1a2-0000-7000-8000-0000000é"] {
            #expect(UniqueID.range(ofPrefix: refused) == nil, "\(refused)")
        }
    }

    @Test(
        "refuses what is no UUID",
        arguments: [
            "", "0190f1a2", "0190f1a2-0000-7000-8000-00000000000", "0190f1a2-0000-7000-8000-0000000000011",
            "0190f1a2x0000-7000-8000-000000000001", "0190f1a2-0000-7000-8000-00000000000g",
            "{190f1a2-0000-7000-8000-00000000000}", "0190f1a200007000800000000000000100000",
        ]
    )
    func refuses(text: String) {
        #expect(UniqueID(text) == nil)
    }

    @Test("is ordered as its bytes are")
    func order() {
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<1_000 {
            // There are few distinct values, so that halves are equal.
            let left = UniqueID(high: random.next() % 3 << 62, low: random.next() % 3)
            let right = UniqueID(high: random.next() % 3 << 62, low: random.next() % 3)
            #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes), "seed \(random.seed)")
        }
    }

    @Test("version 7 carries time, version and variant")
    func version7() {
        let id = UniqueID.version7(at: 0x0190_F1A2_0000, random: (.max, .max))
        #expect(id.description == "0190f1a2-0000-7fff-bfff-ffffffffffff")
        let least = UniqueID.version7(at: 1, random: (0, 0))
        #expect(least.description == "00000000-0001-7000-8000-000000000000")
    }

    /// Computed with another program: the first sixteen bytes of the SHA-256 of the JSON text.
    @Test(
        "identifiers of keys",
        arguments: [
            ("Product", ["code": .string("A-1")], "0c4aab43-22bb-87bb-8375-b967bc919fc7"),
            ("Product", ["shop": .integer(7), "code": .string("A-1")], "d69dc7cb-b2df-8a80-93bd-5391d1737bac"),
            ("Größe", ["z": .boolean(true), "ein\"s": .string("\tü")], "c118e049-bda9-8db1-ad26-8f6738c6578d"),
        ] as [(String, [String: PropertyValue], String)]
    )
    func keys(entity: String, key: [String: PropertyValue], expected: String) {
        #expect(UniqueID(entity: entity, key: key)?.description == expected)
    }

    @Test("a key that has no single text identifies nothing")
    func invalidKeys() {
        for value in [PropertyValue.null, .double(1), .composite("{}")] {
            #expect(UniqueID(entity: "Product", key: ["code": .string("A"), "other": value]) == nil)
        }
        #expect(UniqueID(entity: "Product", key: [String: PropertyValue]()) == nil)
    }
}

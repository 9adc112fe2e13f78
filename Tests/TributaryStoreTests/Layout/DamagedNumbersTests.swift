import GRDB
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// Damaged numbers in a store cause errors; in a debug build each overflow would trap.
@Suite struct DamagedNumbersTests {
    @Test(arguments: [Int64.max, -1, .min]) func aWriterWithoutANextSequenceCannotSave(sequence: Int64) throws {
        let fixture = try StoreFixture()
        let arguments: StatementArguments = [sequence, sequence]
        try fixture.store.write {
            try $0.reader.database.execute(
                sql: "UPDATE tributary_writer SET sequence = ?1, clock = ?2",
                arguments: arguments
            )
        }
        let change = Change(entity: "Employee", id: UniqueID(high: 1, low: 1), operation: .insert([]))
        #expect(throws: StoreError.self) {
            try fixture.store.write { try $0.commit(LocalTransaction(author: "test", changes: [change])) }
        }
    }

    /// With other numbers the store would not find the tombstones and counters of its objects.
    @Test(arguments: [
        "UPDATE tributary_catalogue SET code = code + 100 WHERE kind = 'column'",
        "DELETE FROM tributary_catalogue WHERE kind = 'entity'",
        "DELETE FROM tributary_catalogue WHERE kind = 'column' AND code = 0",
        "DELETE FROM tributary_model",
    ])
    func aStoreWithoutTheNumbersOfItsModelDoesNotOpen(damage: String) throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        try PlainSQL(path: fixture.path).execute(damage)
        let configuration = StoreConfiguration(path: fixture.path, name: "test", model: try StoreFixture.company())
        let error = try #require(throws: StoreError.self) { try Store.open(configuration) }
        #expect(
            error.description.contains(/tributary_(catalogue does not fit the model|model has no version)/),
            "\(error)"
        )
    }

    @Test func packedValuesOfAnyBytesAreRead() {
        var generator = SeededGenerator.printingSeed()
        var (values, rows) = (0, 0)
        for _ in LongProofs.rounds(20_000) {
            let length = Int(generator.next() % 40)
            // Many bytes have the highest bit set, so that numbers become long.
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next() | generator.next() & 0x80) }
            bytes.withUnsafeBytes { bytes in
                var reader = VariableLengthReader(bytes: bytes)
                while PropertyValue(unpacking: &reader) != nil { values += 1 }
                if let packed = PartialRow(deleted: 1, packed: bytes).packed {
                    rows += 1
                    let again = packed.withUnsafeBytes { PartialRow(deleted: 1, packed: $0).packed }
                    #expect(again == packed, "\(Array(bytes))")
                }
                _ = RowVersions(base: HostileNumbers.signed(&generator), encoded: bytes).encoded
            }
        }
        #expect(values > 100 && rows > 100, "\(values) values, \(rows) partial rows")
    }
}

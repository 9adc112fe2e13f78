import Testing
import TransactionLog
import TributaryChanges

/// A transaction is recognized by the writes that a baseline shows of it, and by no others.
@Suite struct TransactionContentTests {
    private let id = UniqueID(high: 1, low: 2)
    private let other = UniqueID(high: 1, low: 3)

    private func change(_ entity: String, _ id: UniqueID, _ operation: Change.Operation) -> Change {
        Change(entity: entity, id: id, operation: operation)
    }

    private func write(_ name: String, _ value: JSONValue) -> PropertyWrite { PropertyWrite(name: name, value: value) }

    private func content(_ changes: [Change]) throws -> TransactionContent {
        var lines: [UInt8] = []
        TransactionHeader(sequence: 1, clock: HybridClock(rawValue: 7), changeCount: changes.count).write(to: &lines)
        for change in changes { change.write(to: &lines) }
        return try TransactionContent(lines: lines)
    }

    @Test func itHasItsWritesInPart() throws {
        let increment = JSONValue.object([JSONMember(key: "increment", value: .integer(1))])
        let content = try content([
            change("E", id, .insert([write("a", .integer(1)), write("b", .null), write("n", increment)])),
            change("E", other, .delete),
            change("E", id, .link(to: "r", ids: [id, other], positions: ["m", "n"])),
            change("E", id, .unlink(to: "s", ids: [other])),
        ])
        #expect(content.has(change("E", id, .insert([]))))
        #expect(content.has(change("E", id, .insert([write("b", .null)]))))
        #expect(content.has(change("F", id, .update([write("a", .integer(1))]))))
        #expect(content.has(change("F", other, .delete)))
        #expect(content.has(change("F", id, .link(to: "r", ids: [other], positions: ["n"]))))
        #expect(content.has(change("E", id, .unlink(to: "s", ids: [other]))))
    }

    @Test func itHasNoOtherWrites() throws {
        let content = try content([
            change("E", id, .insert([write("a", .integer(1))])),
            change("E", id, .link(to: "r", ids: [other], positions: ["m"])),
        ])
        let foreign = [
            change("F", id, .insert([])),
            change("E", other, .insert([])),
            change("E", id, .insert([write("a", .integer(1)), write("b", .integer(1))])),
            change("E", id, .update([write("a", .integer(2))])),
            change("E", id, .update([write("b", .integer(1))])),
            change("E", other, .update([write("a", .integer(1))])),
            change("E", id, .delete),
            change("E", id, .link(to: "r", ids: [other], positions: ["n"])),
            change("E", id, .link(to: "r", ids: [other], positions: nil)),
            change("E", id, .link(to: "r", ids: [other, id], positions: ["m"])),
            change("E", id, .link(to: "s", ids: [other], positions: ["m"])),
            change("E", id, .unlink(to: "r", ids: [other])),
        ]
        for change in foreign { #expect(!content.has(change), "\(change)") }
    }

    @Test func linesThatAreNoChangesAreRefused() {
        for text in ["{}\n{\"delete\":1}\n", "{}\n{\"insert\":\"E\"}\n", "{}\nx\n"] {
            #expect(throws: JSONError.self) { try TransactionContent(lines: Array(text.utf8)) }
        }
    }
}

import Testing
import TransactionLog
import TributaryChanges

@Suite struct ParsedChangeTests {
    let id = UniqueID(high: 1, low: 2)

    private func parse(_ text: String) throws(JSONError) -> ParsedChange {
        try ParsedChange(JSONParser.parse(Array(text.utf8)))
    }

    @Test func anInsertMayLeaveOutItsID() throws {
        let change = try parse("{\"insert\":\"E\",\"values\":{\"a\":1}}")
        #expect(change.id == nil)
        #expect(
            change.change(newID: id)
                == Change(entity: "E", id: id, operation: .insert([PropertyWrite(name: "a", value: .integer(1))]))
        )
    }

    @Test func everyVerbIsReadAndWritten() throws {
        let changes = [
            Change(entity: "E", id: id, operation: .insert([PropertyWrite(name: "a", value: .null)])),
            Change(entity: "E", id: id, operation: .update([])),
            Change(entity: "E", id: id, operation: .delete),
            Change(entity: "E", id: id, operation: .link(to: "r", ids: [id], positions: ["m"])),
            Change(entity: "E", id: id, operation: .link(to: "r", ids: [], positions: nil)),
            Change(entity: "E", id: id, operation: .unlink(to: "r", ids: [id])),
        ]
        for change in changes {
            var line: [UInt8] = []
            change.write(to: &line)
            #expect(try ParsedChange(JSONParser.parse(line)).change(newID: UniqueID(high: 0, low: 0)) == change)
        }
    }

    @Test func theExpectedVersionIsKept() throws {
        #expect(try parse("{\"delete\":\"E\",\"id\":\"\(id)\",\"ifVersion\":7}").ifVersion == .integer(7))
    }

    @Test(arguments: [
        "[]", "{}", "{\"insert\":\"E\",\"update\":\"E\"}", "{\"insert\":1}", "{\"update\":\"E\"}",
        "{\"delete\":\"E\",\"id\":\"x\"}",
        "{\"insert\":\"E\",\"values\":1}",
        "{\"link\":\"E\",\"id\":\"00000000-0000-0001-0000-000000000002\",\"to\":\"r\"}",
        "{\"link\":\"E\",\"id\":\"00000000-0000-0001-0000-000000000002\",\"ids\":[]}",
        "{\"insert\":\"E\",\"insert\":\"E\"}",
        "{\"unlink\":\"E\",\"id\":\"00000000-0000-0001-0000-000000000002\",\"to\":\"r\",\"ids\":[1]}",
    ])
    func linesThatAreNoChangeAreRefused(_ text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }
}

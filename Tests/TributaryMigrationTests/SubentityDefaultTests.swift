import StoreTestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Sub-entities that share a column keep their own defaults for objects without a write.
@Suite struct SubentityDefaultTests {
    private static func model(manager: String, extra: String = "") -> String {
        """
          Person: {attributes: {name: String?}}
          Employee: {parent: Person, attributes: {title: {type: String, optional: true, default: none}, \
        tally: {type: Integer 64, optional: true, merge: counter, default: 1}}}
          Manager: {parent: Person, attributes: {title: {type: String, optional: true, default: \(manager)}, \
        tally: {type: Integer 64, optional: true, merge: counter, default: 2}\(extra)}}
        """
    }

    private static let titles = "SELECT title, tally FROM Person ORDER BY _id"

    @Test func `each shows its own default`() throws {
        let text = Self.model(manager: "chief")
        let story = try MigrationStory(text, text)
        try story.apply(.insert("Employee", 1), .insert("Manager", 2), .insert("Manager", 3, ["title": "vice"]))
        #expect(try story.rows(Self.titles) == [["none", "1"], ["chief", "2"], ["vice", "2"]])
        #expect(try story.migrated.values("Manager", .sample(2))?["title"] == .string("chief"))
        // The story has another concrete entity, a deletion that a newer insert survives, and an update before its
        // insert.
        try story.apply(.insert("Manager", 1), .insert("Employee", 2), .update("Person", 4, ["name": "d"]))
        try story.apply(.insert("Manager", 4), .delete("Manager", 3), .insert("Manager", 3))
        #expect(try story.rows(Self.titles) == [["chief", "2"], ["none", "1"], ["chief", "2"], ["chief", "2"]])
        try story.expectOneState()
    }

    @Test func `a changed default is that of its entity alone`() throws {
        let story = try MigrationStory(
            Self.model(manager: "chief"),
            Self.model(manager: "boss", extra: ", floor: {type: Integer 16, optional: true, default: 4}")
        )
        try story.apply(.insert("Employee", 1), .insert("Manager", 2), .insert("Manager", 3, ["title": "vice"]))
        try story.migrate()
        #expect(try story.rows(Self.titles) == [["none", "1"], ["boss", "2"], ["vice", "2"]])
        #expect(try story.rows("SELECT floor FROM Person ORDER BY _id") == [[nil], ["4"], ["4"]])
        try story.expectOneState()
    }

    @Test func `one-to-one relationships of one name with other inverses are apart`() throws {
        let text = """
              Person: {attributes: {name: String?}}
              Employee: {parent: Person, relationships: {room: {to: Room?, inverse: worker}}}
              Manager: {parent: Person, relationships: {room: {to: Room?, inverse: chief}}}
              Room: {relationships: {worker: {to: Employee?, inverse: room}, chief: {to: Manager?, inverse: room}}}
            """
        let story = try MigrationStory(text, text)
        try story.apply(.insert("Room", 9), .insert("Employee", 1, ["room": .to(9)]))
        try story.apply(.insert("Manager", 2, ["room": .to(9)]))
        let room = try #require(try story.migrated.values("Room", .sample(9)))
        #expect(room["worker"] == .reference(.sample(1)))
        #expect(room["chief"] == .reference(.sample(2)))
        try story.expectOneState()
    }
}

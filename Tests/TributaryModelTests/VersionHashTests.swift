import Testing
import TributaryChanges
import TributaryModel

@Suite("The hash of a model")
struct VersionHashTests {
    /// Changes only with a migration of every store: never adapt it to make the test pass.
    @Test func staysTheSameInEveryRelease() throws {
        let model = try Model(
            yaml: """
                entities:
                  Person: {abstract: true, renamed_from: Human, attributes: {name: String, born: Date?}}
                  Employee:
                    parent: Person
                    attributes:
                      hours: {type: Integer 64, default: 0, merge: counter}
                      home: {composite: Address, optional: true}
                    relationships:
                      projects: {to: Project, many: true, inverse: members, ordered: true}
                    unique: [[name, born]]
                    indexes: {byHours: [-hours, name]}
                  Project: {relationships: {members: {to: Employee, many: true, inverse: projects}}}
                composites: {Address: {city: String, zip: Integer 32}}
                """
        )
        #expect(model.versionHash == "e4e1cf7e58451ac17b5d53a31217e52f31d7fb247e25e25127bf7198551ce2a7")
        let empty = "2090a1714077084c73db27a4576305805b0caaf1114ee51e618777486e129078"
        #expect(try Model(version: "1", entities: []).versionHash == empty)
    }

    @Test func isTheSameFromXMLAndYAML() throws {
        let yaml = try Model(yaml: "entities: {A: {attributes: {x: {type: Integer 16, default: 3}}}}")
        let xml = try Model(
            xml: """
                <model><entity name="A" representedClassName="A">
                <attribute name="x" attributeType="Integer 16" defaultValueString="3" minValueString="0"/>
                </entity></model>
                """,
            version: "other"
        )
        #expect(yaml.versionHash == xml.versionHash)
    }

    @Test func tellsModelsApartThatTheStoreMustTellApart() throws {
        let texts = [
            "x: String", "y: String", "x: String?", "x: Date", "x: {type: String, default: a}",
            "x: {type: String, merge: max}", "x: {type: String, renamed_from: y}", "x: {type: String, transient: true}",
        ]
        let hashes = try texts.map { try Model(yaml: "entities: {A: {attributes: {\($0)}}}").versionHash }
        #expect(Set(hashes).count == texts.count)
    }
}

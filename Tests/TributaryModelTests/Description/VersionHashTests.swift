import Testing
import TributaryChanges
import TributaryModel

@Suite("The hash of a model")
struct VersionHashTests {
    /// The hash changes only with a migration of every store: never change the expected value to make the test pass.
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

extension VersionHashTests {
    /// The expected value is literal, as in the test above: the hash of an entity is equal in every release.
    @Test func ofAnEntityStaysTheSameInEveryRelease() throws {
        let model = try Model(
            yaml: """
                entities:
                  Person: {attributes: {name: String, born: Date?}, hash_modifier: two}
                  Employee:
                    parent: Person
                    attributes: {hours: {type: Integer 64, default: 0, merge: counter}}
                    relationships: {boss: {to: Employee?}}
                    unique: [[name, born]]
                """
        )
        #expect(
            model.entityVersionHashes == [
                "Person": "2b34679adf7974f80d3f51ed6e27b42cefcb4920a6f8a04b3d823cd4dc1b6e32",
                "Employee": "79cfd10b469c18dae78a4b609bfced9cdef4a3ceed8787ae269d5e16cc6a4ba2",
            ]
        )
    }

    private static let base = """
        A: {attributes: {x: String, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}
        """

    @Test(arguments: [
        "A: {attributes: {y: String?, x: String}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
        "A: {attributes: {x: String, y: String?}, relationships: {b: {to: B?}}, unique: [y, x], indexes: {j: [y], i: [x]}}, B: {}",
        "A: {class: .K, info: {a: b}, attributes: {x: {type: String, max: 9, pattern: '.*', info: {c: d}}, y: String?}, relationships: {b: {to: B?, delete: Cascade}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
        "B: {}, A: {attributes: {x: {type: String, preserve_after_deletion: true}, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}",
    ])
    func doesNotChangeWithOrderNorWithWhatTheStoreDoesNotKnow(other: String) throws {
        let (first, second) = (try Model(yaml: "entities: {\(Self.base)}"), try Model(yaml: "entities: {\(other)}"))
        #expect(first.versionHash == second.versionHash)
        #expect(first.entityVersionHashes == second.entityVersionHashes)
    }

    @Test func changesWithWhatTheStoreKnowsAndOnlyForTheEntity() throws {
        let others = [
            "A: {attributes: {x: String?, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: String, y: Date?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: {type: String, default: d}, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: {type: String, merge: max}, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: {type: String, hash_modifier: m}, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: {type: String, renamed_from: z}, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: String, y: String?}, relationships: {b: {to: B, many: true}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: String, y: String?}, relationships: {b: {to: A?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: String, y: String?}, relationships: {b: {to: B?, hash_modifier: m}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: String, y: String?}, relationships: {b: {to: B?}}, unique: [x], indexes: {i: [x], j: [y]}}, B: {}",
            "A: {attributes: {x: String, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [-y]}}, B: {}",
            "A: {hash_modifier: m, attributes: {x: String, y: String?}, relationships: {b: {to: B?}}, unique: [x, y], indexes: {i: [x], j: [y]}}, B: {}",
        ]
        let base = try Model(yaml: "entities: {\(Self.base)}")
        let models = try others.map { try Model(yaml: "entities: {\($0)}") }
        #expect(Set((models + [base]).map(\.versionHash)).count == others.count + 1)
        #expect(Set((models + [base]).compactMap { $0.entityVersionHashes["A"] }).count == others.count + 1)
        #expect(Set((models + [base]).compactMap { $0.entityVersionHashes["B"] }).count == 1)
        // A store keeps the model as an archive, which must not lose what is in the hash.
        for model in models { #expect(try Model(archive: model.archive).versionHash == model.versionHash) }
    }

    @Test func modifiersAreReadFromXML() throws {
        let model = try Model(
            xml: """
                <model><entity name="A" versionHashModifier="one">
                <attribute name="x" attributeType="String" versionHashModifier="two"/>
                <relationship name="a" maxCount="1" destinationEntity="A" versionHashModifier="three"/>
                </entity></model>
                """
        )
        let entity = try #require(model.entity(named: "A"))
        #expect(entity.versionHashModifier == "one")
        #expect(entity.attributes[0].versionHashModifier == "two")
        #expect(entity.relationships[0].versionHashModifier == "three")
    }
}

import Testing
import TributaryModel

/// The changes inferred from two versions, and the refused ones with their reason and their remedy.
@Suite("Migration plans")
struct MigrationPlanTests {
    private func model(_ version: String, _ entities: String) throws -> Model {
        try Model(yaml: "version: \"\(version)\"\nentities: {\(entities)}")
    }

    private func plan(_ old: String, _ new: String) throws -> [String] {
        try MigrationPlan(from: model("1", old), to: model("2", new)).changes.map(\.description)
    }

    private func refusals(_ old: String, _ new: String) throws -> [String] {
        try MigrationInference(from: model("1", old), to: model("2", new)).refusals
            .map { "\($0.property.map { "\($0): " } ?? "")\($0.from) → \($0.to): \($0.reason)" }
    }

    @Test func nothingToDoBetweenEqualModels() throws {
        #expect(try plan("A: {attributes: {x: String}}", "A: {attributes: {x: {type: String, max: 9}}}").isEmpty)
        let one = try model("1", "A: {attributes: {x: String}}")
        #expect(try MigrationPlan(from: one, to: one).isEmpty)
    }

    @Test func additionsRemovalsAndRenamesAreNamed() throws {
        #expect(try plan("A: {attributes: {x: String}}", "A: {attributes: {x: String, y: Date?}}") == ["add A.y"])
        #expect(try plan("A: {attributes: {x: String, y: Date}}", "A: {attributes: {x: String}}") == ["remove A.y"])
        #expect(try plan("A: {}", "A: {}, B: {}") == ["add the entity B"])
        #expect(try plan("A: {}, B: {}", "A: {}") == ["remove the entity B"])
        #expect(
            try plan(
                "A: {attributes: {x: String}}",
                "B: {renamed_from: A, attributes: {y: {type: String, renamed_from: x}}}"
            )
                == ["rename the entity B (from 'A' to 'B')", "rename B.y (from 'x' to 'y')"]
        )
    }

    @Test func changesOfAttributesAreNamed() throws {
        #expect(
            try plan("A: {attributes: {x: Integer 16}}", "A: {attributes: {x: Integer 64}}")
                == ["change the type of A.x (from 'Integer 16' to 'Integer 64')"]
        )
        #expect(try plan("A: {attributes: {x: String}}", "A: {attributes: {x: String?}}") == ["make optional A.x"])
        #expect(
            try plan("A: {attributes: {x: String?}}", "A: {attributes: {x: {type: String, default: a}}}") == [
                "change the default of A.x (from 'null' to '\"a\"')",
                "make mandatory and fill with the default A.x (to '\"a\"')",
            ]
        )
        #expect(
            try plan("A: {attributes: {x: String}}", "A: {attributes: {x: String}, unique: [x]}")
                == ["change the uniqueness constraints of A"]
        )
        #expect(
            try plan("A: {attributes: {x: String}}", "A: {attributes: {x: String}, indexes: {i: [x]}}")
                == ["change the fetch indexes of A"]
        )
        // The order and the direction of the elements count.
        let elements = ["x, y", "x, -y", "-x, -y", "-y, x"]
        for one in elements {
            for other in elements {
                func indexed(_ elements: String) -> String {
                    "A: {attributes: {x: String, y: String}, indexes: {i: [\(elements)]}}"
                }
                let expected = one == other ? [] : ["change the fetch indexes of A"]
                #expect(try plan(indexed(one), indexed(other)) == expected, "\(one) to \(other)")
            }
        }
    }

    @Test func changesOfRelationshipsAndParentsAreNamed() throws {
        #expect(
            try plan("A: {relationships: {b: {to: A?}}}", "A: {relationships: {b: {to: A, many: true}}}")
                == ["make to-many A.b"]
        )
        #expect(
            try plan(
                "A: {relationships: {b: {to: A, many: true}}}",
                "A: {relationships: {b: {to: A, many: true, ordered: true}}}"
            ) == ["change the order of A.b (from 'unordered' to 'ordered')"]
        )
        #expect(
            try plan(
                "A: {relationships: {b: {to: B?}}}, B: {}, C: {}",
                "A: {relationships: {b: {to: C?}}}, B: {}, C: {}"
            )
                == ["change the destination of A.b (from 'B' to 'C')", "add A.b", "remove A.b"]
        )
        #expect(
            try plan("A: {}", "A: {parent: P}, P: {}")
                == ["change the parent of A (from 'none' to 'P')", "add the entity P"]
        )
        #expect(
            try plan("A: {abstract: true}", "A: {}")
                == ["change whether it is abstract: A (from 'abstract' to 'concrete')"]
        )
    }

    @Test func everythingThatCannotBeInferredIsListedAtOnce() throws {
        let found = try refusals(
            "A: {attributes: {a: String, b: Integer 64, c: String?, d: Double, e: Boolean}, relationships: {r: {to: A, many: true}}}, B: {}",
            "A: {attributes: {a: Date, b: Integer 16, c: String, d: {type: Double, merge: max}, e: Integer 16}, "
                + "relationships: {r: {to: A?}}}, B: {abstract: true}"
        )
        #expect(
            found == [
                "a: String → Date: the new type cannot hold every value of the old type",
                "b: Integer 64 → Integer 16: the new type cannot hold every value of the old type",
                "c: optional → mandatory: objects may lack a value, and the property has no default to fill in",
                "d: merge rule latest → max: the merged values depend on the rule, "
                    + "and writes under the old rule cannot be merged again",
                "e: Boolean → Integer 16: writers write true and false where the new type has numbers, "
                    + "and writers with the older version continue to do so",
                "r: to-many → to-one: there may be several objects at the other end",
                "concrete → abstract: an abstract entity has no objects of its own, and there may be some",
            ]
        )
    }

    @Test func theSideThatDoesNotStoreARelationshipGetsNoOtherDestination() throws {
        let found = try refusals(
            "A: {relationships: {bs: {to: B, many: true, inverse: a}}}, B: {relationships: {a: {to: A?, inverse: bs}}}, C: {}",
            "A: {relationships: {bs: {to: C, many: true, inverse: a}}}, C: {relationships: {a: {to: A?, inverse: bs}}}, B: {}"
        )
        #expect(found.contains("bs: to B → to C: its objects may not be of the new destination entity"), "\(found)")
    }

    @Test func aRefusalSaysWhatHelps() throws {
        let old = try model("1", "A: {attributes: {x: String?}}")
        let new = try model("2", "A: {attributes: {x: String}}")
        let error = #expect(throws: MigrationError.self) { try MigrationPlan(from: old, to: new) }
        #expect(
            error?.description == """
                the store is at model version '1', and these differences to version '2' cannot be inferred:
                  A.x, from optional to mandatory: objects may lack a value, and the property has no default to fill \
                in; give a default, leave it optional, or write a custom stage
                """
        )
    }

    @Test func aHierarchyIsNotTakenApart() throws {
        #expect(
            try refusals("P: {}, A: {parent: P}, B: {parent: P}", "P: {}, A: {parent: P}, B: {}") == [
                "the hierarchy of 'P' → that of 'B': the store keeps only the root entity of deleted objects, "
                    + "so a hierarchy cannot be divided"
            ]
        )
    }

    @Test func hierarchiesAreNotJoined() throws {
        let reason = "the store identifies an object by its root entity, so two hierarchies cannot become one"
        #expect(
            try refusals("A: {}, P: {}", "A: {parent: P}, P: {}")
                == ["the hierarchy of 'P' → that of 'A': \(reason)"]
        )
        #expect(
            try refusals("A: {}, B: {}", "P: {abstract: true}, A: {parent: P}, B: {parent: P}")
                == ["the hierarchy of 'B' → that of 'A': \(reason)"]
        )
    }

    @Test func aRelationshipDoesNotLoseTheSideThatStoresIt() throws {
        func sides(_ own: String, _ other: String) -> String {
            "A: {relationships: {\(own)}}, B: {relationships: {\(other)}}"
        }
        let pairs = ("bs: {to: B, many: true, inverse: as}", "as: {to: A, many: true, inverse: bs}")
        let old = sides(pairs.0, pairs.1)
        #expect(
            try refusals(old, sides("", "as: {to: A, many: true}"))
                == [
                    "as: the inverse of 'A.bs' → a relationship without 'A.bs': the removed side stores the objects of both"
                ]
        )
        #expect(try refusals(old, sides("bs: {to: B, many: true}", "")).isEmpty)
        #expect(try refusals(old, sides("", "")).isEmpty)
        #expect(try refusals(old, "B: {}").isEmpty)
    }

    @Test func aMergedValueDoesNotChangeItsForm() throws {
        func merged(_ type: String) -> String {
            "A: {attributes: {x: {type: \(type), optional: true, merge: max}}}"
        }
        #expect(
            try refusals(merged("Integer 64"), merged("Decimal")) == [
                "x: Integer 64 → Decimal: the merge rule has merged values in the form of the old type, "
                    + "and the new type writes them in another form"
            ]
        )
        #expect(try refusals(merged("Integer 32"), merged("Integer 64")).isEmpty)
    }

    @Test func attributesAndRelationshipsAreDifferentThings() throws {
        #expect(try refusals("A: {attributes: {x: String}}", "A: {relationships: {x: {to: A}}}").count == 1)
        #expect(try refusals("A: {relationships: {x: {to: A}}}", "A: {attributes: {x: String}}").count == 1)
    }

    @Test func manyToManyDoesNotBecomeOneToMany() throws {
        let old =
            "A: {relationships: {bs: {to: B, many: true, inverse: as}}}, B: {relationships: {as: {to: A, many: true, inverse: bs}}}"
        let new =
            "A: {relationships: {bs: {to: B, many: true, inverse: as}}}, B: {relationships: {as: {to: A?, inverse: bs}}}"
        #expect(try refusals(old, new).count == 2)
    }

    @Test func renamesInStepsAreFollowedThroughTheVersionsBetween() throws {
        let versions = try [
            model("1", "A: {attributes: {a: String}}"),
            model("2", "B: {renamed_from: A, attributes: {b: {type: String, renamed_from: a}}}"),
            model("3", "C: {renamed_from: B, attributes: {c: {type: String, renamed_from: b}}}"),
        ]
        #expect(
            try MigrationPlan(from: versions[0], to: versions[2], through: [versions[1]]).changes.map(\.kind)
                == [.renameEntity, .renameProperty]
        )
        #expect(
            try MigrationPlan(from: versions[0], to: versions[2]).changes.map(\.kind) == [.addEntity, .removeEntity]
        )
    }

    @Test func aKeptIdentifierNamesTheSameThingInEveryVersion() throws {
        let versions = try [
            model("1", "A: {attributes: {x: String}}"),
            model("2", "B: {renamed_from: A, attributes: {x: String}}"),
            model("3", "C: {renamed_from: A, attributes: {x: String}}"),
        ]
        #expect(try MigrationPlan(from: versions[1], to: versions[2]).changes.map(\.kind) == [.renameEntity])
        #expect(try MigrationPlan(from: versions[0], to: versions[2]).changes.map(\.kind) == [.renameEntity])
    }

    @Test func aNameThatIsUsedAgainIsANewThing() throws {
        let old = try model("1", "A: {attributes: {x: String}}")
        let new = try model("2", "B: {renamed_from: A, attributes: {x: String}}, A: {attributes: {x: String}}")
        #expect(
            try MigrationPlan(from: old, to: new).changes.map(\.description)
                == ["add the entity A", "rename the entity B (from 'A' to 'B')"]
        )
        let later = try model(
            "3",
            "B: {renamed_from: A, attributes: {x: String}}, A: {attributes: {x: String, y: String?}}"
        )
        #expect(try MigrationPlan(from: new, to: later).changes.map(\.description) == ["add A.y"])
    }

    @Test(arguments: [
        ("Integer 16", "Float", true), ("Integer 32", "Float", false), ("Integer 64", "Double", true),
        ("Integer 32", "Double", true), ("Integer 64", "Decimal", true), ("Float", "Double", true),
        ("Double", "Float", false), ("Double", "Decimal", false), ("String", "URI", true), ("URI", "String", true),
        ("Binary", "Transformable", true), ("Boolean", "Integer 16", false), ("Date", "Double", false),
        ("UUID", "String", false), ("Decimal", "String", false), ("Integer 32", "Integer 16", false),
    ])
    func onlyTypesThatLoseNothingAreInferred(from: String, to: String, isInferred: Bool) throws {
        let found = try refusals("A: {attributes: {x: \(from)?}}", "A: {attributes: {x: \(to)?}}")
        #expect(found.isEmpty == isInferred)
    }

    @Test func aModelIsTheSameAfterItWasStored() throws {
        let model = try model(
            "4",
            """
            A: {abstract: true, renamed_from: B, hash_modifier: m, attributes: {n: {type: Integer 64, default: 3, merge: max}, \
            d: {type: Date, optional: true, default: 2020-01-01T00:00:00Z}, t: {type: String, transient: true}}}, \
            C: {parent: A, unique: [[n, d], n], indexes: {i: [n, -d]}, relationships: {as: {to: C, many: true, ordered: true}}}
            """
        )
        let copy = try Model(archive: model.archive)
        #expect(copy.versionHash == model.versionHash && copy.version == "4")
        #expect(copy.archive == model.archive)
        #expect(copy.entityVersionHashes == model.entityVersionHashes)
    }
}

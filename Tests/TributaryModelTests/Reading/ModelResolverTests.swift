import Testing
import TributaryChanges
import TributaryModel

@Suite("Models: names, inverses and storage")
struct ModelResolverTests {
    private func model(_ yaml: String) throws -> Model { try Model(yaml: "entities:\n" + yaml) }

    private func storage(_ model: Model, _ entity: String, _ name: String) throws -> RelationshipStorage {
        let property = try #require(model.entity(named: entity)?.property(named: name))
        guard case .relationship(_, let storage) = property else { throw ModelError("no relationship") }
        return storage
    }

    private func refusal(_ yaml: String) -> ModelError? {
        #expect(throws: ModelError.self) { () throws -> Void in _ = try model(yaml) }
    }

    @Test func `a uniqueness constraint with a counter is refused, also in a sub-entity that inherits it`() throws {
        let counter = "{attributes: {code: String, hits: {type: Integer 64, default: 0, merge: counter}}"
        for text in ["  A: \(counter), unique: [[code, hits]]}", "  A: \(counter)}\n  B: {parent: A, unique: [hits]}"] {
            let error = try #require(refusal(text))
            #expect("\(error)".contains("'hits', a counter") && "\(error)".contains("take it out"), "\(error)")
        }
        // A store that has such a model opens, so that it can be migrated.
        let accepted = try model("  A: {attributes: {hits: {type: Integer 64, default: 0}}, unique: [hits]}")
        let archive = accepted.archive.replacing("\"latest\"", with: "\"counter\"")
        #expect(archive != accepted.archive)
        #expect(try Model(archive: archive).entities.count == 1)
    }

    /// Whoever writes a model must not be able to block a build or a start.
    @Test func aModelThatIsTooLargeIsRefused() throws {
        func entities(_ count: Int, _ body: (Int) -> String = { _ in "{}" }) -> String {
            (0..<count).map { "  E\($0): \(body($0))\n" }.joined()
        }
        func attributes(_ count: Int) -> String { (0..<count).map { "a\($0): String?" }.joined(separator: ", ") }
        #expect(try model(entities(4_096)).entities.count == 4_096)
        let many = try #require(refusal(entities(100_000)))
        #expect("\(many)".contains("100000 entities, and 4096 are possible") && many.line == 4_098, "\(many)")
        #expect(try model("  A: {attributes: {\(attributes(2_000))}}").entities.count == 1)
        let wide = try #require(refusal("  A: {attributes: {\(attributes(2_001))}}"))
        #expect("\(wide)".contains("2001 properties, and 2000 are possible"), "\(wide)")
        let inherited = try #require(
            refusal("  A: {attributes: {\(attributes(1_000))}}\n" + entities(100) { _ in "{parent: A}" })
        )
        #expect("\(inherited)".contains("more than 65536 properties"), "\(inherited)")
        let chain = entities(66) { $0 == 0 ? "{}" : "{parent: E\($0 - 1)}" }
        #expect("\(try #require(refusal(chain)))".contains("more than 64 entities above it"))
        // Each composite has the one before it twice.
        let doubled = (1...60).map { "  C\($0): {a: {composite: C\($0 - 1)}, b: {composite: C\($0 - 1)}}\n" }.joined()
        let text = "composites:\n  C0: {x: String?}\n\(doubled)entities:\n  A: {attributes: {c: {composite: C60}}}\n"
        let bomb = #expect(throws: ModelError.self) { try Model(yaml: text) }
        #expect("\(try #require(bomb))".contains("more than 65536 properties"), "\(String(describing: bomb))")
    }

    @Test func oneToManyLiesInTheToOne() throws {
        let model = try model(
            """
              A: {relationships: {many: {to: B, many: true, inverse: one}}}
              B: {relationships: {one: {to: A, inverse: many}}}
            """
        )
        #expect(try storage(model, "A", "many") == .inverse(entity: "B", relationship: "one"))
        #expect(try storage(model, "B", "one") == .column)
    }

    @Test func oneToOneAndManyToManyLieOnTheSideThatSortsFirst() throws {
        let model = try model(
            """
              B: {relationships: {a: {to: A, inverse: b}, as: {to: A, many: true, inverse: bs}}}
              A: {relationships: {b: {to: B, inverse: a}, bs: {to: B, many: true, inverse: as}}}
            """
        )
        #expect(try storage(model, "A", "b") == .column)
        #expect(try storage(model, "B", "a") == .inverse(entity: "A", relationship: "b"))
        #expect(try storage(model, "A", "bs") == .links(table: "A_bs", ownsPairs: true))
        #expect(try storage(model, "B", "as") == .links(table: "A_bs", ownsPairs: false))
    }

    @Test func relationshipsToTheEntityItself() throws {
        let model = try model(
            """
              P:
                relationships:
                  spouse: {to: P, inverse: spouse}
                  friends: {to: P, many: true, inverse: friends}
                  boss: {to: P, inverse: staff}
                  staff: {to: P, many: true, inverse: boss}
                  mentor: {to: P, inverse: pupil}
                  pupil: {to: P, inverse: mentor}
            """
        )
        #expect(try storage(model, "P", "spouse") == .column)
        #expect(try storage(model, "P", "friends") == .links(table: "P_friends", ownsPairs: true))
        #expect(try storage(model, "P", "boss") == .column)
        #expect(try storage(model, "P", "staff") == .inverse(entity: "P", relationship: "boss"))
        #expect(try storage(model, "P", "mentor") == .column)
        #expect(try storage(model, "P", "pupil") == .inverse(entity: "P", relationship: "mentor"))
    }

    @Test func withoutAnInverse() throws {
        let model = try model("  A: {relationships: {one: {to: A}, many: {to: A, many: true}}}")
        #expect(try storage(model, "A", "one") == .column)
        #expect(try storage(model, "A", "many") == .links(table: "A_many", ownsPairs: true))
    }

    /// The destination's parent declares the inverse, and another entity inherits this relationship.
    @Test func inheritedRelationships() throws {
        let model = try model(
            """
              Base: {relationships: {tags: {to: Tag, many: true, inverse: owners}}}
              Note: {parent: Base, attributes: {text: String}}
              Tag: {relationships: {owners: {to: Note, many: true, inverse: tags}}}
            """
        )
        #expect(try storage(model, "Note", "tags") == .links(table: "Base_tags", ownsPairs: true))
        #expect(try storage(model, "Tag", "owners") == .links(table: "Base_tags", ownsPairs: false))
        #expect(
            model.entity(named: "Note")?.propertyIndex(named: "tags")
                == model.entity(named: "Base")?.propertyIndex(named: "tags")
        )
    }

    @Test func siblingsMayShareAColumn() throws {
        let model = try model(
            """
              Root: {abstract: true}
              Left: {parent: Root, attributes: {value: String}}
              Right: {parent: Root, attributes: {value: Integer 64}}
            """
        )
        #expect(model.entity(named: "Left")?.property(named: "value")?.attribute?.type == .string)
        #expect(model.entity(named: "Right")?.property(named: "value")?.attribute?.type == .integer64)
    }

    @Test(arguments: [
        ("  A: {parent: B}\n  B: {parent: A}", "cycle"),
        ("  A: {parent: A}", "cycle"),
        ("  A: {}\n  X: {parent: Y}\n  Y: {parent: X}", "cycle"),
        ("  A: {attributes: {x: String}}\n  B: {parent: A, attributes: {x: String}}", "twice"),
        ("  A: {attributes: {x: String, X: String}}", "case"),
        ("  R: {}\n  A: {parent: R, attributes: {x: String}}\n  B: {parent: R, attributes: {X: String}}", "case"),
        ("  Note: {}\n  NOTE: {}", "same name"),
        ("  A: {relationships: {b: {to: A, many: true}}}\n  A_b: {}", "same name"),
        ("  tributary_x: {}", "tributary_"),
        ("  SQLite_x: {}", "sqlite_"),
        ("  a b: {}", "letters"),
        ("  A: {relationships: {b: {to: B, inverse: a}}}\n  B: {relationships: {a: {to: A}}}", "leads nowhere"),
        (
            "  A: {relationships: {b: {to: B, inverse: a}, c: {to: B, inverse: a}}}\n"
                + "  B: {relationships: {a: {to: A, inverse: b}}}", "does not lead back"
        ),
        ("  A: {relationships: {b: {to: A, min: 2}}}", "cannot be met"),
        ("  A: {relationships: {b: {to: A, min: 2, max: 2}}}", "at most"),
        ("  A: {relationships: {b: {to: A, ordered: true}}}", "ordered"),
        ("  A: {relationships: {b: {to: A, many: true}}, unique: [b]}", "not a stored attribute"),
        ("  A: {attributes: {t: {type: String, transient: true}}, indexes: {i: [t]}}", "not a stored attribute"),
        ("  A: {attributes: {x: {type: Boolean, merge: max}}}", "order"),
        ("  A: {attributes: {x: {type: String, pattern: '('}}}", "regular expression"),
    ])
    func refused(yaml: String, words: String) {
        let error = refusal(yaml)
        #expect(error?.reason.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.element != nil)
    }

    @Test func compositesMustNotContainThemselves() {
        let error = #expect(throws: ModelError.self) { () throws -> Void in
            _ = try Model(
                yaml: """
                    entities: {A: {attributes: {x: {composite: C}}}}
                    composites: {C: {y: {composite: D}}, D: {z: {composite: C}}}
                    """
            )
        }
        #expect(error?.reason.contains("contains itself") == true)
    }
}

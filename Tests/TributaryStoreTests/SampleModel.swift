import TributaryModel

/// The model of the store's tests, with every kind of property that merging distinguishes.
enum SampleModel {
    static func make(adding more: String = "") throws -> Model { try Model(yaml: text + more) }

    /// The model after additions: an entity, a sub-entity, attributes and relationships.
    static func makeGrown() throws -> Model {
        try Model(
            yaml: text(
                version: "2",
                attributes: """
                    , what: {type: String, default: new}, points: {type: Integer 64, merge: counter}, \
                    peak: {type: Integer 64, merge: max}
                    """,
                relationships: ", tag: {to: Tag}, friends: {to: Person, many: true, optional: false}",
                isOn: "{type: Boolean, default: true}"
            ) + """
                  Label: {parent: Tag, attributes: {text: String}}
                  Unknown: {attributes: {what: Integer 64}, relationships: {person: {to: Person}}}

                """
        )
    }

    /// Ends with an entity, so that others may follow.
    static let text = text()

    private static func text(
        version: String = "1",
        attributes: String = "",
        relationships: String = "",
        isOn: String = "Boolean"
    ) -> String {
        """
        version: "\(version)"
        entities:
          Person:
            attributes: {name: String, nick: {type: String, default: none}\(attributes)}
            relationships:
              {passport: {to: Passport, inverse: owner}, \
        projects: {to: Project, many: true, optional: false, inverse: people}\(relationships)}
          Employee:
            parent: Person
            attributes:
              salary: Double
              best: {type: Integer 32, merge: max}
              least: {type: Date, merge: min}
              visits: {type: Integer 64, merge: counter}
            relationships: {department: {to: Department, inverse: employees}, boss: {to: Employee}}
          Department:
            attributes: {title: String, budget: Decimal}
            relationships: {employees: {to: Employee, many: true, optional: false, inverse: department}}
          Passport: {attributes: {number: Integer 64}, relationships: {owner: {to: Person, inverse: passport}}}
          Project:
            attributes: {name: String, data: Binary}
            relationships:
              people: {to: Person, many: true, optional: false, inverse: projects}
              tags: {to: Tag, many: true, ordered: true, optional: false}
          Tag: {attributes: {key: UUID, isOn: \(isOn)}}

        """
    }
}

/// Persons (A) and desks (D) with one-to-one owners, shared desks and friends.
enum DeskModel {
    static func make() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  A:
                    relationships:
                      desk: {to: D?, inverse: owner}
                      desks: {to: D, many: true, inverse: people}
                      friends: {to: A, many: true}
                  D:
                    relationships:
                      owner: {to: A?, inverse: desk}
                      people: {to: A, many: true, inverse: desks}
                """
        )
    }
}

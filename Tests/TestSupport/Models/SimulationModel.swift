package import TributaryChanges

/// A small model with every kind of property, and few IDs, so that writers often change the same objects.
package enum SimulationModel {
    package static let text = """
        version: "1"
        entities:
        \(people(level: "Integer 16", name: "nick: String?", more: ""))
        \(things(desk: ""))
        """

    package static func uniqueText(isGrown: Bool) -> String {
        var text = isGrown ? grownText : self.text
        let constraints = [
            ("Person", "[name], [age, level], [department, age], [mentor]"), ("Employee", "[title]"),
            ("Department", "[title]"),
            ("Project", "[name]"), ("Desk", "[label]"),
        ]
        for (entity, names) in constraints {
            text = text.replacing("  \(entity):\n", with: "  \(entity):\n    unique: [\(names)]\n")
        }
        return text
    }

    /// The grown model, whose names some changes use before any replica knows it.
    package static let grownText = """
        version: "2"
        entities:
        \(people(
            level: "Integer 64",
            name: "alias: {type: String, optional: true, renamed_from: nick}, nope: {type: Integer 64, optional: true, default: 7}",
            more: ", ghost: {to: Ghost?}, rivals: {to: Person, many: true}, locker: {to: Desk?, inverse: keeper}"
        ))
          Contractor:
            parent: Person
            attributes: {fee: {type: Integer 64, optional: true, default: 3}, \
        title: {type: String, optional: true, default: hired}}
            relationships: {agency: {to: Department?}}
          Ghost: {attributes: {name: String?}}
        \(things(desk: ", keeper: {to: Person?, inverse: locker}"))
        """

    /// Three IDs for people, and one or two for each other entity.
    package static func ids(of entity: String) -> [UniqueID] {
        switch entity {
        case "Person", "Employee", "Manager", "Contractor": (1...3).map { UniqueID(high: 0x1000, low: $0) }
        case "Department": (1...2).map { UniqueID(high: 0x2000, low: $0) }
        case "Project": (1...2).map { UniqueID(high: 0x3000, low: $0) }
        case "Ghost": [UniqueID(high: 0x5000, low: 1)]
        default: (1...2).map { UniqueID(high: 0x4000, low: $0) }
        }
    }

    /// A manager's title shares the employee's column and has another default.
    private static func people(level: String, name: String, more: String) -> String {
        """
          Person:
            attributes:
              {name: String?, age: {type: Integer 64, optional: true, default: 5}, \
        level: {type: \(level), optional: true, default: 1}, \(name), \
        best: {type: Integer 64, optional: true, merge: max}, \
        least: {type: Integer 64, optional: true, merge: min}, \
        tally: {type: Integer 64, optional: true, merge: counter, default: 0}, \
        score: {type: Double, optional: true, merge: counter, default: 0}}
            relationships:
              {department: {to: Department?, inverse: employees}, desk: {to: Desk?, inverse: owner}, \
        projects: {to: Project, many: true, inverse: members}, friends: {to: Person, many: true, inverse: friends}, \
        mentor: {to: Person?}, visited: {to: Department, many: true}\(more)}
          Employee:
            parent: Person
            attributes: {title: {type: String, optional: true, default: none}}
          Manager:
            parent: Person
            attributes: {title: {type: String, optional: true, default: chief}}
        """
    }

    private static func things(desk: String) -> String {
        """
          Department:
            attributes: {title: String?}
            relationships: {employees: {to: Person, many: true, ordered: true, inverse: department}}
          Project:
            attributes: {name: String?}
            relationships: {members: {to: Person, many: true, ordered: true, inverse: projects}}
          Desk:
            attributes: {label: String?}
            relationships: {owner: {to: Person?, inverse: desk}\(desk)}
        """
    }
}

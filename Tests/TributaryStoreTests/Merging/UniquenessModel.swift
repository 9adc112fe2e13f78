import StoreTestSupport
import TributaryModel

/// People with two unique keys, and everything that can refer to them.
enum UniquenessModel {
    static func make(_ version: String = "1", unique: String = "[email], [badge]") throws -> Model {
        try Model(
            yaml: """
                version: "\(version)"
                entities:
                  Person:
                    unique: [\(unique)]
                    attributes: {email: String?, badge: {type: Integer 64, optional: true}, name: String?, visits: {type: Integer 64, optional: true, merge: counter}}
                    relationships:
                      desk: {to: Desk?, inverse: owner}
                      projects: {to: Project, many: true, inverse: members}
                      tasks: {to: Task, many: true, inverse: person}
                      friends: {to: Person, many: true, inverse: friends}
                  Employee:
                    parent: Person
                    attributes: {salary: {type: Integer 64, optional: true}}
                  Desk:
                    attributes: {label: String?}
                    relationships: {owner: {to: Person?, inverse: desk}}
                  Project:
                    attributes: {name: String?}
                    relationships: {members: {to: Person, many: true, inverse: projects}}
                  Task:
                    attributes: {title: String?}
                    relationships: {person: {to: Person?, inverse: tasks}}
                """
        )
    }
}

extension Replica {
    static func withUniqueKeys() throws -> Replica { try Replica(try UniquenessModel.make()) }
}

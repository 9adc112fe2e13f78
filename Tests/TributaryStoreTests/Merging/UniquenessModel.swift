import StoreTestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

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

    /// The numbers of the objects in a to-many relationship, in its order.
    func related(_ entity: String, _ id: Int, _ name: String) throws -> [Int] {
        let owner = try #require(store.model.entity(named: entity))
        let index = try #require(owner.propertyIndex(named: name))
        let found = try store.read { try $0.related(to: .sample(id), entity: owner, propertyIndex: index) }
        return found.compactMap { object in (1...99).first { object.uniqueID == .sample($0) } }
    }
}

extension [ForeignTransaction] {
    /// Every order of the transactions.
    var permutations: [[ForeignTransaction]] {
        guard let first else { return [[]] }
        return Array(dropFirst()).permutations.flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }
}

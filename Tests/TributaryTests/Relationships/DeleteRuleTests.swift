import TestSupport
import Testing

@testable import Tributary

/// Delete rules over several objects: cycles, self-references, Deny under Cascade.
struct DeleteRuleTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: """
                Node:
                  relationships:
                    parent: {to: Node?, inverse: children}
                    children: {to: Node, many: true, inverse: parent, delete: Cascade}
                    next: {to: Node?, inverse: previous, delete: Cascade}
                    previous: {to: Node?, inverse: next, delete: Cascade}
                    locks: {to: Lock, many: true, inverse: node, delete: Deny}
                    friends: {to: Node, many: true, inverse: friends}
                Lock: {relationships: {node: {to: Node?, inverse: locks}}}
                Crew: {relationships: {sailors: {to: Sailor, many: true, inverse: crew, min: 2}}}
                Sailor: {relationships: {crew: {to: Crew?, inverse: sailors}}}
                """
        )
    }

    private func nodes(_ count: Int, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try (0..<count).map { _ in try context.insert(entity: "Node") }
    }

    @Test(arguments: [true, false])
    func aCascadeFollowsATreeAndACycle(_ isCycle: Bool) async throws {
        try await container.performBackgroundTask { context in
            let nodes = try nodes(4, in: context)
            for (node, other) in zip(nodes, nodes.dropFirst()) {
                try node.setValue(.reference(other.uniqueID), forKey: isCycle ? "next" : "parent")
            }
            if isCycle { try nodes[3].setValue(.reference(nodes[0].uniqueID), forKey: "next") }
            try context.save()
            context.delete(isCycle ? nodes[1] : nodes[3])
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 4)
            try context.save()
            #expect(try context.count(for: FetchRequest("Node")) == 0)
        }
    }

    @Test func anObjectThatLeadsToItself() async throws {
        try await container.performBackgroundTask { context in
            let node = try nodes(1, in: context)[0]
            try node.setValue(.reference(node.uniqueID), forKey: "parent")
            try node.setValue(.reference(node.uniqueID), forKey: "next")
            try node.link(node, forKey: "friends")
            #expect(try node.objects(forKey: "children") == [node])
            try context.save()
            #expect(try node.objects(forKey: "previous") == [node])
            #expect(try node.objects(forKey: "friends") == [node])
            context.delete(node)
            try context.save()
            #expect(try context.count(for: FetchRequest("Node")) == 0)
        }
    }

    @Test func aDenialUnderACascadeKeepsEverything() async throws {
        try await container.performBackgroundTask { context in
            let nodes = try nodes(2, in: context)
            try nodes[1].setValue(.reference(nodes[0].uniqueID), forKey: "parent")
            let lock = try context.insert("Lock", ["node": .reference(nodes[1].uniqueID)])
            try context.save()
            context.delete(nodes[0])
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.objectID) == [nodes[1].objectID])
            #expect(error.failures.map(\.rule) == [.denied])
            #expect(error.failures.first?.message == "must not be deleted while 1 other object refers to it")
            context.rollback()
            #expect(try context.count(for: FetchRequest("Node")) == 2)
            #expect(try nodes[0].objects(forKey: "children") == [nodes[1]])
            context.delete(nodes[0])
            context.delete(lock)
            try context.save()
            #expect(try context.count(for: FetchRequest("Node")) == 0)
            #expect(try context.count(for: FetchRequest("Lock")) == 0)
        }
    }

    @Test func aMinimumHoldsFromTheOtherSide() async throws {
        try await container.performBackgroundTask { context in
            let crew = try context.insert(entity: "Crew")
            let sailors = try (0..<3).map { _ in try context.insert(entity: "Sailor") }
            for sailor in sailors { try sailor.setValue(.reference(crew.uniqueID), forKey: "crew") }
            try context.save()
            try sailors[0].setValue(.null, forKey: "crew")
            try context.save()
            try sailors[1].setValue(.null, forKey: "crew")
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.property) == ["sailors"])
            #expect(error.failures.map(\.rule) == [.tooFew])
            #expect(error.failures.map(\.objectID) == [crew.objectID])
            context.rollback()
            context.delete(sailors[2])
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }
}

import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import Tributary

/// An insert contains what the program has set, and no more: so two machines that insert one natural key keep each
/// other's values.
struct PartialInsertTests {
    let folder: TemporaryFolder
    let here: PersistentContainer
    let there: PersistentContainer

    private static let model = """
        Shelf: {attributes: {name: String?}}
        Item:
          attributes:
            code: String
            name: String?
            colour: {type: String, default: grey}
            most: {type: Integer 64, default: 5, merge: max}
            stock: {type: Integer 64, default: 10, merge: counter}
          relationships:
            shelf: {to: Shelf, optional: true}
        """

    init() async throws {
        folder = try TemporaryFolder("inserts")
        let model = try Model(entities: Self.model)
        here = try await PersistentContainer.open(folder, model: model, classes: [Item.self])
        there = try await PersistentContainer.open(folder, "there", model: model, classes: [Item.self])
    }

    private func exchange() throws {
        try ReplicaExchange.send(from: here.store, to: there.store)
        try ReplicaExchange.send(from: there.store, to: here.store)
    }

    /// The line of the newest insert of an item in the log.
    private func line(_ container: PersistentContainer) throws -> String? {
        try container.store.localTransactions().joined().last { $0.hasPrefix("{\"insert\":\"Item\"") }
    }

    private func values(_ container: PersistentContainer) async throws -> [String: PropertyValue] {
        try await container.performBackgroundTask { context in
            try #require(try context.fetch(FetchRequest("Item")).first).snapshot().values
        }
    }

    enum Way: CaseIterable, Sendable {
        case upsert, apply, batch, insert
    }

    /// Inserts the item with the code A1 and some more values, under the identifier that follows from the code.
    private func insert(_ more: [String: PropertyValue], in container: PersistentContainer, _ way: Way) async throws {
        let key = try #require(UniqueID(entity: "Item", key: ["code": .string("A1")]))
        switch way {
        case .batch:
            let row = more.merging(["code": .string("A1"), "_id": .uuid(key)]) { $1 }
            try await container.execute(BatchInsertRequest("Item", rows: [row]))
        case .upsert:
            try await container.save { context -> Void in
                let item = try context.upsert(Item.self, identity: .key, by: ["code": .string("A1")])
                for (name, value) in more { try item.setValue(value, forKey: name) }
            }
        case .insert:
            try await container.save { context in
                let item = try context.insert(entity: "Item", id: key)
                try item.setValue(.string("A1"), forKey: "code")
                for (name, value) in more { try item.setValue(value, forKey: name) }
            }
        case .apply:
            let writes = more.sorted { $0.key < $1.key }.map { PropertyWrite(name: $0.key, value: $0.value.json) }
            let code = PropertyWrite(name: "code", value: .string("A1"))
            let change = Change(entity: "Item", id: key, operation: .insert([code] + writes))
            try await container.save { _ = try $0.apply([ConditionalChange(change)]) }
        }
    }

    @Test(arguments: Way.allCases)
    func theLaterInsertOverwritesOnlyWhatItSets(_ way: Way) async throws {
        let shelf = try await here.save { try $0.insert("Shelf", ["name": .string("north")]).uniqueID }
        try exchange()
        try await insert(
            ["name": .string("Tea"), "colour": .string("red"), "shelf": .reference(shelf)],
            in: here,
            way
        )
        try await insert(["most": .integer(3)], in: there, way)
        try exchange()
        for container in [here, there] {
            let values = try await values(container)
            #expect(values["name"] == .string("Tea"))
            #expect(values["colour"] == .string("red"))
            #expect(values["shelf"] == .reference(shelf))
            #expect(values["most"] == .integer(3))
            #expect(values["stock"] == .integer(10))
        }
        try await there.close()
        try await here.close()
    }

    @Test func aDefaultThatIsSetCounts() async throws {
        try await insert(["colour": .string("red")], in: here, .insert)
        try await insert(["colour": .string("grey"), "shelf": .null], in: there, .insert)
        #expect(try line(there)?.contains("\"colour\":\"grey\"") == true)
        #expect(try line(there)?.contains("\"shelf\":null") == true)
        #expect(try line(there)?.contains("name") == false)
        try exchange()
        for container in [here, there] { #expect(try await values(container)["colour"] == .string("grey")) }
        try await there.close()
        try await here.close()
    }

    @Test func anUnsetPropertyReadsAsTheDefaultOfTheReader() async throws {
        try await insert([:], in: here, .insert)
        let newer = Self.model.replacing("default: grey", with: "default: blue")
        let reader = try await PersistentContainer.open(
            folder,
            "newer",
            model: try Model(entities: newer),
            classes: [Item.self]
        )
        try ReplicaExchange.send(from: here.store, to: reader.store)
        #expect(try await values(here)["colour"] == .string("grey"))
        #expect(try await values(reader)["colour"] == .string("blue"))
        try await reader.close()
        try await here.close()
        let entities = newer.split(separator: "\n").map { "  \($0)\n" }.joined()
        let second = try Model(yaml: "version: \"2\"\nentities:\n" + entities)
        let path = folder.path("store.sqlite")
        let upgraded = try await PersistentContainer(name: "store", path: path, model: second, classes: [Item.self])
        #expect(try await values(upgraded)["colour"] == .string("blue"))
        try await upgraded.close()
        try await there.close()
    }

    @Test func aChildAndAnUndoKeepWhatWasSet() async throws {
        let line = try await here.performBackgroundTask { context in
            context.undoStack = UndoStack()
            let child = context.newChild()
            let item = try child.insert(entity: "Item")
            try item.setValue(.string("A1"), forKey: "code")
            try child.save()
            context.processPendingChanges()
            context.undoStack?.endEvent()
            context.undo()
            context.redo()
            try context.save()
            return true
        }
        #expect(line)
        let written = try #require(try self.line(here))
        #expect(written.contains("\"values\":{\"code\":\"A1\"}"))
        try await there.close()
        try await here.close()
    }

    /// A default that is set and undone is not set, whichever value the property had; a redo sets it again.
    @Test(arguments: [false, true])
    func anUndoneDefaultIsNotSet(isRedone: Bool) async throws {
        try await here.save { context in
            let stack = UndoStack()
            context.undoStack = stack
            let item = try context.insert(entity: "Item")
            try item.setValue(.string("A1"), forKey: "code")
            context.processPendingChanges()
            stack.endEvent()
            try item.setValue(.string("grey"), forKey: "colour")
            try item.setValue(.null, forKey: "shelf")
            context.undo()
            if isRedone { context.redo() }
        }
        let written = try #require(try line(here))
        #expect(written.contains("\"colour\":\"grey\"") == isRedone)
        #expect(written.contains("\"shelf\":null") == isRedone)
        #expect(written.contains("\"code\":\"A1\""))
        try await there.close()
        try await here.close()
    }
}

private final class Item: ManagedObject {
    override class var entityName: String { "Item" }
}

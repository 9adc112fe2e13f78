import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Counters in typed snapshots and typed properties: whatever the store has by then, the difference that the program makes is
/// counted and exported.
@MainActor
struct CountedTests {
    final class Item: ManagedObject {
        override class var entityName: String { "Item" }
        static let stock = Field<Int>("stock")
        static let small = Field<Int>("small")
        static let rare = Field<Int?>("rare")
        static let weight = Field<Double>("weight")
        static let load = Field<Double>("load")
        override class var declaredFields: [any DeclaredField] { [stock, small, rare, weight, load] }

        struct Snapshot: TypedSnapshot {
            var objectID: ManagedObjectID
            @Counted var stock: Int
            @Counted var small: Int
            @Counted var rare: Int?
            @Counted var weight: Double
            @Counted var load: Double

            init(_ item: Item) {
                objectID = item.objectID
                stock = item[Item.stock]
                small = item[Item.small]
                rare = item[Item.rare]
                weight = item[Item.weight]
                load = item[Item.load]
            }

            func write(to item: Item) {
                item.set(Item.stock, to: $stock, of: objectID)
                item.set(Item.small, to: $small, of: objectID)
                item.set(Item.rare, to: $rare, of: objectID)
                item.set(Item.weight, to: $weight, of: objectID)
                item.set(Item.load, to: $load, of: objectID)
            }
        }
    }

    let folder: TemporaryFolder
    let container: PersistentContainer
    let id: ManagedObjectID

    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: """
                Item:
                  attributes:
                    stock: {type: Integer 64, merge: counter, default: 0}
                    small: {type: Integer 16, merge: counter, default: 0}
                    rare: {type: Integer 32, merge: counter, optional: true}
                    weight: {type: Double, merge: counter, default: 0}
                    load: {type: Float, merge: counter, default: 0}
                """,
            classes: [Item.self]
        )
        id = try await container.save { context in
            let item = try context.insert(Item.self)
            item[Item.stock] = 10
            return item.objectID
        }
        await container.mergePendingChanges()
    }

    private func item() throws -> Item { try #require(try container.viewContext.existingObject(with: id) as? Item) }

    private func elsewhere(_ change: @Sendable (Item) -> Void) async throws {
        let id = id
        try await container.save { context in
            if let item = try context.existingObject(with: id) as? Item { change(item) }
        }
    }

    private func stored<Value: FieldValue & Sendable>(_ field: Field<Value>) async throws -> Value? {
        let id = id
        return try await container.performBackgroundTask { try $0.existingObject(with: id)[field] }
    }

    /// The increments of the newest transaction in the log, as the log has them.
    private func exported() throws -> [String] {
        try container.store.localTransactions().last?.flatMap { line in
            line.split(separator: "\"increment\":").dropFirst().map { String($0.prefix { $0 != "}" }) }
        } ?? []
    }

    @Test func `an older snapshot adds the difference that the program has made in it`() async throws {
        let item = try item()
        var snapshot = Item.Snapshot(item)
        snapshot.stock -= 1
        snapshot.rare = 3
        let coded = try JSONDecoder().decode(Item.Snapshot.self, from: JSONEncoder().encode(snapshot))
        try await elsewhere {
            $0[Item.stock] += 100
            $0[Item.rare] = 20
        }
        // The view context has not merged at the first update, and has at the second.
        try item.update(from: snapshot)
        #expect(item[Item.stock] == 9)
        await container.mergePendingChanges()
        #expect(item[Item.stock] == 109 && item[Item.rare] == 23)
        try container.viewContext.save()
        #expect(try exported() == ["3", "-1"])
        try item.update(from: coded)
        try container.viewContext.save()
        #expect(try exported() == ["3", "-1"])
        #expect(try await stored(Item.stock) == 108)
        #expect(try await stored(Item.rare) == 26)
        // A new object has nothing to add to.
        let other = try container.viewContext.insert(Item.self)
        try other.update(from: coded)
        #expect(other[Item.stock] == 9 && other[Item.rare] == 3)
    }

    @Test func `a snapshot of unsaved counters is taken back in a child`() async throws {
        let view = container.viewContext
        let item = try item()
        item[Item.stock] += 5
        let child = view.newChild()
        let copy = try #require(try child.existingObject(with: id) as? Item)
        var snapshot = Item.Snapshot(copy)
        #expect(snapshot.stock == 15)
        snapshot.stock += 2
        item[Item.stock] += 100
        try copy.update(from: snapshot)
        try child.save()
        try await elsewhere { $0[Item.stock] += 1_000 }
        await container.mergePendingChanges()
        #expect(item[Item.stock] == 1_117)
        try view.save()
        #expect(try exported() == ["107"])
        #expect(try await stored(Item.stock) == 1_117)
    }

    @Test func `a counter beyond its integer type is counted one down`() async throws {
        for _ in 0..<2 { try await elsewhere { $0[Item.small] += 20_000 } }
        await container.mergePendingChanges()
        let item = try item()
        var snapshot = Item.Snapshot(item)
        #expect(snapshot.small == 40_000)
        snapshot.small -= 1
        try item.update(from: snapshot)
        try container.viewContext.save()
        #expect(try exported() == ["-1"])
        item[Item.small] -= 1
        try container.viewContext.save()
        #expect(try exported() == ["-1"])
        try item.update(from: ObjectSnapshot(id: id, values: ["small": .integer(39_997)]))
        try container.viewContext.save()
        #expect(try exported() == ["-1"])
        #expect(try await stored(Item.small) == 39_997)
    }

    /// The sum of two numbers of Float may have more digits than Float has, or be beyond its range.
    @Test(arguments: [(16_777_216.0, 1.0), (3e38, 3e38)])
    func `a counter beyond its floating-point type is counted down`(_ first: Double, _ second: Double) async throws {
        for amount in [first, second] { try await elsewhere { $0[Item.load] += amount } }
        await container.mergePendingChanges()
        let item = try item()
        #expect(item[Item.load] == first + second)
        item[Item.load] -= first
        try container.viewContext.save()
        #expect(try exported().map(Double.init) == [-first])
        var snapshot = Item.Snapshot(item)
        snapshot.load -= second
        try item.update(from: snapshot)
        try container.viewContext.save()
        #expect(try await stored(Item.load) == 0)
    }

    @Test(arguments: [Double.nan, .infinity])
    func `a value that no store can hold is refused`(_ value: Double) async throws {
        let item = try item()
        item[Item.weight] = 1
        try container.viewContext.save()
        var snapshot = Item.Snapshot(item)
        snapshot.weight = value
        try item.update(from: snapshot)
        #expect(throws: ValidationError.self) { try container.viewContext.save() }
        item[Item.weight] = 3
        try container.viewContext.save()
        #expect(try exported().map(Double.init) == [2])
    }

    /// Reads zero of a value that its type cannot hold.
    final class Narrow: ManagedObject {
        override class var entityName: String { "Item" }
        static let small = Field<Int>("small")
        static let load = Field<Float>("load")
        override class var declaredFields: [any DeclaredField] { [small, load] }
        override class var declaresEveryProperty: Bool { false }
    }

    @Test func `a counter needs a type that holds every sum`() async throws {
        let error = await #expect(throws: ContextError.self) {
            try await PersistentContainer(
                name: "narrow",
                model: container.model,
                classes: [Narrow.self],
                store: .memory
            )
        }
        guard case .fields(let problems)? = error else { throw Unexpected(error) }
        #expect(problems.map(\.field) == ["Field<Float>(\"load\")"])
        #expect(problems.first?.reason.hasSuffix("declare it as Field<Double>(\"load\")") == true, "\(problems)")
    }

    @Test func `a counter that is read as a type that does not hold it stops the program`() async throws {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let counter = "{type: Integer 16, merge: counter, default: 0}"
            let model = try Model(entities: "Item: {attributes: {small: \(counter)}}")
            let container = try await PersistentContainer(name: "narrow", model: model, store: .memory)
            try await container.performBackgroundTask { context in
                try context.insert(entity: "Item")[Field<Int>("small"), as: Int16.self] -= 1
            }
        }
        #expect(ended.errors.contains("its total may be more than Int16 holds"), "\(ended.errors)")
    }
}

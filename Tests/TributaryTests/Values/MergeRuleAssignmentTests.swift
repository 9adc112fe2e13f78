import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Assigning to counters, and to attributes of which the greatest or the least value stands: in contexts, children and
/// batches.
struct MergeRuleAssignmentTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    /// Meters with a counter of each kind and attributes of which the greatest or the least value stands.
    private static func model() throws -> Model {
        try Model(
            entities: """
                Meter:
                  attributes:
                    count: {type: Integer 64, optional: true, merge: counter, default: 0}
                    sum: {type: Double, optional: true, merge: counter, default: 0}
                    most: {type: Integer 64, optional: true, merge: max}
                    least: {type: Integer 64, optional: true, merge: min}
                """
        )
    }

    init() async throws {
        folder = try TemporaryFolder("meters")
        container = try await PersistentContainer.open(folder, model: Self.model())
    }

    /// The values of a counter in the store's transactions as the log has them, in order.
    private func written(_ name: String) throws -> [String] {
        try container.store.localTransactions().joined().compactMap { line -> String? in
            guard let at = line.range(of: "\"\(name)\":") else { return nil }
            let rest = line[at.upperBound...]
            return String(rest.prefix { $0 != "," && $0 != "}" }) + (rest.hasPrefix("{") ? "}" : "")
        }
    }

    private func insert(_ values: KeyValuePairs<String, PropertyValue> = [:]) async throws -> ManagedObjectID {
        try await container.save { try $0.insert("Meter", values).objectID }
    }

    private func set(_ id: ManagedObjectID, _ key: String, _ value: PropertyValue) async throws {
        try await container.save { try $0.existingObject(with: id).setValue(value, forKey: key) }
    }

    private func value(_ id: ManagedObjectID, _ key: String) async throws -> PropertyValue {
        try await container.performBackgroundTask { try $0.existingObject(with: id).value(forKey: key) }
    }

    // MARK: Counters

    @Test func anAssignmentGoesOutAsTheDifference() async throws {
        let id = try await insert(["count": .integer(5)])
        try await set(id, "count", .integer(12))
        try await set(id, "count", .integer(10))
        #expect(try written("count") == ["{\"increment\":5}", "{\"increment\":7}", "{\"increment\":-2}"])
        #expect(try await value(id, "count") == .integer(10))
    }

    @Test func aFractionGoesOutAsTheDifference() async throws {
        let id = try await insert(["sum": .double(1.5)])
        try await set(id, "sum", .double(1))
        #expect(try written("sum") == ["{\"increment\":1.5}", "{\"increment\":-0.5}"])
        #expect(try await value(id, "sum") == .double(1))
    }

    @Test func anAssignmentGoesOutExactly() async throws {
        let id = try await insert(["sum": .double(1e16)])
        try await set(id, "sum", .double(0.1))
        #expect(try await value(id, "sum") == .double(0.1))
        try await set(id, "sum", .double(1))
        #expect(try await value(id, "sum") == .double(1))
        for number in [1e16, 0.1] {
            let write = PropertyWrite(name: "sum", value: .double(number))
            let change = Change(entity: "Meter", id: id.uniqueID, operation: .update([write]))
            try await container.importTransactions { transaction in
                ((), [try transaction.commit(LocalTransaction(changes: [change]))])
            }
        }
        #expect(try await value(id, "sum") == .double(0.1))
    }

    /// Increments as numbers and as exact texts, after an assignment in the same request too.
    @Test func anIncrementOfARequestIsNotRounded() async throws {
        let exact = "0.3000000000000000166533453693773481063544750213623046875"
        func increment(_ amount: JSONValue) -> JSONValue { .object([JSONMember(key: "increment", value: amount)]) }
        let id = try await insert()
        for values in [[.double(1e16), increment(.double(0.1))], [increment(.string(exact))]] {
            let changes = values.map { value in
                let write = PropertyWrite(name: "sum", value: value)
                return ConditionalChange(Change(entity: "Meter", id: id.uniqueID, operation: .update([write])))
            }
            try await container.save { _ = try $0.apply(changes) }
        }
        let first = CounterTotals.sum(.double(1e16), .double(0.1)).json.text
        let written = try written("sum")
        #expect(written == ["{\"increment\":\(first)}", "{\"increment\":\"\(exact)\"}"])
    }

    @Test func aBatchAddsAFractionExactly() async throws {
        let id = try await insert(["sum": .double(1e16)])
        let request = BatchUpdateRequest("Meter", setting: ["sum": .increment(.double(0.75))])
        for _ in 0..<8 { try await container.execute(request) }
        #expect(try await value(id, "sum") == .double(1e16 + 6))
    }

    @Test func anInsertWithoutAValueWritesNoIncrement() async throws {
        let id = try await insert()
        #expect(try written("count") == [])
        #expect(try await value(id, "count") == .integer(0))
    }

    @Test(arguments: [MergePolicy.objectTrump, .overwrite])
    func incrementsOfTwoContextsAddUp(_ policy: MergePolicy) async throws {
        let id = try await insert(["count": .integer(10)])
        let background = container.newBackgroundContext(mergePolicy: policy)
        try await background.perform { try $0.existingObject(with: id).setValue(.integer(13), forKey: "count") }
        try await set(id, "count", .integer(20))
        try await background.perform { context in
            let meter = context.object(with: id)
            try context.save()
            #expect(try meter.value(forKey: "count") == .integer(23))
        }
        #expect(try await value(id, "count") == .integer(23))
    }

    @Test func incrementsOfTwoWritersAddUp() async throws {
        let id = try await insert(["count": .integer(1)])
        let other = try await PersistentContainer.open(folder, "other", model: Self.model())
        try ReplicaExchange.send(from: container.store, to: other.store)
        try await set(id, "count", .integer(4))
        try await other.save { try $0.existingObject(with: id).setValue(.integer(11), forKey: "count") }
        try ReplicaExchange.send(from: container.store, to: other.store)
        let sum = try await other.performBackgroundTask { try $0.existingObject(with: id).value(forKey: "count") }
        #expect(sum == .integer(14))
    }

    @Test func aChildsAssignmentsAreOneIncrementOfItsParentsSave() async throws {
        let id = try await insert(["count": .integer(2)])
        try await container.save { context in
            let child = context.newChild()
            let meter = try child.existingObject(with: id)
            try meter.setValue(.integer(5), forKey: "count")
            try child.save()
            try meter.setValue(.integer(9), forKey: "count")
            try child.save()
            #expect(try context.object(with: id).value(forKey: "count") == .integer(9))
        }
        #expect(try written("count") == ["{\"increment\":2}", "{\"increment\":7}"])
    }

    @Test func anAssignmentThatIsTakenBackWritesNothing() async throws {
        let id = try await insert(["count": .integer(2)])
        try await container.save { context in
            let meter = try context.existingObject(with: id)
            try meter.setValue(.integer(9), forKey: "count")
            try meter.setValue(.integer(2), forKey: "count")
        }
        #expect(try written("count") == ["{\"increment\":2}"])
    }

    @Test func aBatchAssignsAndIncrementsInDifferences() async throws {
        let id = try await insert(["count": .integer(2)])
        let request = BatchUpdateRequest("Meter", setting: ["count": .value(.integer(10))])
        try await container.execute(request)
        try await container.execute(BatchUpdateRequest("Meter", setting: ["count": .increment(.integer(5))]))
        try await container.execute(BatchInsertRequest("Meter", rows: [["count": .integer(3)], ["sum": .double(0.5)]]))
        #expect(
            try written("count") == [
                "{\"increment\":2}", "{\"increment\":8}", "{\"increment\":5}", "{\"increment\":3}",
            ]
        )
        #expect(try await value(id, "count") == .integer(15))
    }

    // MARK: Greatest and least

    @Test(
        arguments: [("most", 7, 3, 7), ("most", 3, 7, 7), ("least", 7, 3, 3), ("least", 3, 7, 3)]
            as [(String, Int64, Int64, Int64)]
    )
    func anAssignmentStandsOnlyWhenItBeats(_ key: String, _ first: Int64, _ second: Int64, _ expected: Int64)
        async throws
    {
        let id = try await insert([key: .integer(first)])
        try await container.performBackgroundTask { context in
            let meter = try context.existingObject(with: id)
            try meter.setValue(.integer(second), forKey: key)
            #expect(try meter.value(forKey: key) == .integer(second), "it shows what was assigned until the save")
            try context.save()
            #expect(try meter.value(forKey: key) == .integer(expected))
        }
        #expect(try await value(id, key) == .integer(expected))
    }

    @Test func aChildsAssignmentThatDoesNotBeatIsSettledByTheParentsSave() async throws {
        let id = try await insert(["most": .integer(7)])
        try await container.performBackgroundTask { context in
            let child = context.newChild()
            let meter = try child.existingObject(with: id)
            try meter.setValue(.integer(3), forKey: "most")
            try child.save()
            #expect(try context.object(with: id).value(forKey: "most") == .integer(3))
            try context.save()
            #expect(try context.object(with: id).value(forKey: "most") == .integer(7))
            child.processPendingChanges()
            #expect(try meter.value(forKey: "most") == .integer(7))
        }
    }

    @Test func aBatchLeavesWhatItDoesNotBeat() async throws {
        let id = try await insert(["most": .integer(7), "least": .integer(7)])
        try await container.execute(
            BatchUpdateRequest("Meter", setting: ["most": .value(.integer(3)), "least": .value(.integer(3))])
        )
        #expect(try await value(id, "most") == .integer(7))
        #expect(try await value(id, "least") == .integer(3))
    }
}

import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import Tributary

/// A context counts while others count: the amounts of all add up, and each goes out as it was counted.
@MainActor
struct ConcurrentCounterTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }
    let id: ManagedObjectID

    private static let model = """
        Item:
          attributes:
            name: String?
            stock: {type: Integer 64, merge: counter, default: 0}
            weight: {type: Double, merge: counter, default: 0}
            small: {type: Integer 16, merge: counter, default: 0}
            points: {type: Integer 64, merge: counter, default: 10}
        """

    init() async throws {
        folder = try TemporaryFolder("counters")
        container = try await PersistentContainer.open(folder, model: try Model(entities: Self.model))
        id = try await container.save { context in
            try context.insert("Item", ["name": .string("Tea"), "stock": .integer(10)]).objectID
        }
        await container.mergePendingChanges()
    }

    private func item(_ context: ManagedObjectContext) throws -> ManagedObject { try context.existingObject(with: id) }

    private func stock(_ object: ManagedObject) throws -> Int64 {
        guard case .integer(let stock) = try object.value(forKey: "stock") else { return .min }
        return stock
    }

    private func add(_ amount: Int64, to object: ManagedObject) throws {
        try object.setValue(.integer(try stock(object) + amount), forKey: "stock")
    }

    private func addElsewhere(_ amount: Int64) async throws {
        let id = id
        try await container.save { context in
            let object = try context.existingObject(with: id)
            guard case .integer(let stock) = try object.value(forKey: "stock") else { return }
            try object.setValue(.integer(stock + amount), forKey: "stock")
        }
    }

    private func stored() async throws -> PropertyValue {
        let id = id
        return try await container.performBackgroundTask { try $0.existingObject(with: id).value(forKey: "stock") }
    }

    /// The increments of the counter in the log, in order.
    private func exported(_ name: String = "stock") throws -> [String] {
        try container.store.localTransactions().joined().compactMap { line -> String? in
            guard let range = line.range(of: "\"\(name)\":{\"increment\":") else { return nil }
            return String(line[range.upperBound...].prefix { $0 != "}" })
        }
    }

    @Test func anUnsavedAmountSurvivesAMerge() async throws {
        let item = try item(view)
        try add(5, to: item)
        try await addElsewhere(100)
        await container.mergePendingChanges()
        #expect(try stock(item) == 115)
        try view.save()
        #expect(try await stored() == .integer(115))
        #expect(try exported() == ["10", "100", "5"])
    }

    @Test(arguments: [MergePolicy.objectTrump, .storeTrump, .overwrite])
    func anUnsavedAmountIsSavedOnTopOfTheNewestState(_ policy: MergePolicy) async throws {
        view.mergePolicy = policy
        let item = try item(view)
        try add(5, to: item)
        try await addElsewhere(100)
        try view.save()
        #expect(try stock(item) == 115)
        #expect(try exported() == ["10", "100", "5"])
    }

    @Test func anUnsavedAmountSurvivesARefresh() async throws {
        let id = id
        let background = container.newBackgroundContext(mergePolicy: .error)
        try await background.perform { context in
            let item = try context.existingObject(with: id)
            try item.setValue(.integer(15), forKey: "stock")
        }
        try await addElsewhere(100)
        try await background.save { context in
            let item = try context.existingObject(with: id)
            #expect(throws: ConflictError.self) { try context.save() }
            context.refresh(item, mergeChanges: true)
            #expect(try item.value(forKey: "stock") == .integer(115))
        }
        #expect(try exported() == ["10", "100", "5"])
    }

    @Test func anUnsavedAmountSurvivesAnAutomaticMerge() async throws {
        let id = id
        let background = container.newBackgroundContext()
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            try context.existingObject(with: id).setValue(.integer(15), forKey: "stock")
        }
        try await addElsewhere(100)
        try await background.perform { context in
            #expect(try context.existingObject(with: id).value(forKey: "stock") == .integer(115))
            try context.save()
        }
        #expect(try exported() == ["10", "100", "5"])
    }

    @Test func aChildGivesItsParentTheAmount() async throws {
        let item = try item(view)
        let child = view.newChild()
        let copy = try child.existingObject(with: id)
        try copy.setValue(.integer(11), forKey: "stock")
        try add(100, to: item)
        try child.save()
        #expect(try stock(item) == 111)
        try view.save()
        #expect(try await stored() == .integer(111))
        #expect(try exported() == ["10", "101"])
    }

    @Test func aChildOnItsOwnQueueGivesItsParentTheAmount() async throws {
        let id = id
        let child = container.newChildOfViewContext()
        try await child.perform { try $0.existingObject(with: id).setValue(.integer(11), forKey: "stock") }
        let item = try item(container.viewContext)
        try add(100, to: item)
        try await child.perform { context in
            #expect(try context.existingObject(with: id).value(forKey: "stock") == .integer(111))
            try context.save()
        }
        #expect(try stock(item) == 111)
    }

    @Test func anOlderSnapshotTakesNothingFromOthers() async throws {
        let item = try item(view)
        let snapshot = item.snapshot()
        let coded = try JSONDecoder().decode(ObjectSnapshot.self, from: JSONEncoder().encode(snapshot))
        try await addElsewhere(100)
        await container.mergePendingChanges()
        try item.setValue(.string("Coffee"), forKey: "name")
        for older in [snapshot, coded] { try item.update(from: older) }
        #expect(try item.value(forKey: "name") == .string("Tea"))
        try view.save()
        #expect(try stock(item) == 110)
        try item.update(from: ObjectSnapshot(id: id, values: ["stock": .integer(7)]))
        #expect(try stock(item) == 7)
        let other = try view.insert(entity: "Item")
        try other.update(from: snapshot)
        #expect(try stock(other) == 10)
    }

    @Test func undoTakesBackWhatTheStepHasAdded() async throws {
        let item = try item(view)
        try add(5, to: item)
        try view.save()
        try await addElsewhere(100)
        await container.mergePendingChanges()
        view.undo()
        #expect(try stock(item) == 110)
        view.redo()
        #expect(try stock(item) == 115)
        try add(3, to: item)
        try add(4, to: item)
        view.undo()
        #expect(try stock(item) == 115)
        #expect(!item.hasPersistentChangedValues)
        try view.save()
        #expect(try await stored() == .integer(115))
    }

    @Test func undoOfASavedDeletionKeepsTheCounter() async throws {
        let item = try item(view)
        for round in 0..<3 {
            view.delete(item)
            try view.save()
            view.undo()
            #expect(try stock(item) == 10, "round \(round)")
            #expect(try item.value(forKey: "name") == .string("Tea"))
            try view.save()
            #expect(try await stored() == .integer(10), "round \(round)")
        }
        #expect(try exported() == ["10"])
    }

    @Test func anObjectThatIsInsertedAgainShowsWhatWasCounted() async throws {
        let id = id
        try await container.save { $0.delete(try $0.existingObject(with: id)) }
        try await container.save { context in
            let item = try context.insert(entity: "Item", id: id.uniqueID)
            #expect(try item.value(forKey: "stock") == .integer(10))
            try item.setValue(.integer(12), forKey: "stock")
        }
        #expect(try await stored() == .integer(12))
        #expect(try exported() == ["10", "2"])
    }

    @Test func anInsertionThatIsRedoneKeepsItsAmount() async throws {
        let made = try view.insert(entity: "Item")
        try made.setValue(.integer(4), forKey: "stock")
        view.processPendingChanges()
        view.undo()
        view.redo()
        #expect(try made.value(forKey: "stock") == .integer(4))
        try view.save()
        #expect(try exported() == ["10", "4"])
    }

    @Test func aSaveThatFailsKeepsTheAmounts() async throws {
        struct Stop: Error {}
        let id = id
        try await container.save { context in
            let item = try context.existingObject(with: id)
            #expect(throws: Stop.self) {
                try context.performInOneTransaction {
                    try item.setValue(.integer(15), forKey: "stock")
                    try context.save()
                    try item.setValue(.integer(18), forKey: "stock")
                    throw Stop()
                }
            }
            #expect(try item.value(forKey: "stock") == .integer(18))
        }
        #expect(try exported() == ["10", "8"])
    }

    @Test func importsAndOtherProcessesCountToo() async throws {
        let item = try item(view)
        try add(5, to: item)
        let other = try await PersistentContainer.open(folder, "other", model: container.model)
        try ReplicaExchange.send(from: container.store, to: other.store)
        let id = id
        try await other.save { try $0.existingObject(with: id).setValue(.integer(50), forKey: "stock") }
        try ReplicaExchange.send(from: other.store, to: container.store)
        let second = try await PersistentContainer.open(folder, model: container.model)
        try await second.save { try $0.existingObject(with: id).setValue(.integer(51), forKey: "stock") }
        await container.mergePendingChanges()
        view.refreshAllObjects()
        #expect(try stock(item) == 56)
        try view.save()
        #expect(try await stored() == .integer(56))
        try await second.close()
        try await other.close()
    }

    @Test func fractionsAddUpExactly() async throws {
        let item = try item(view)
        try item.setValue(.double(0.1), forKey: "weight")
        let id = id
        try await container.save { try $0.existingObject(with: id).setValue(.double(0.2), forKey: "weight") }
        await container.mergePendingChanges()
        try view.save()
        #expect(try item.value(forKey: "weight") == .double(0.1 + 0.2))
        #expect(try exported("weight") == ["0.2", "0.1"])
        item.write(.double(.nan), try item.propertyIndex(named: "weight"))
        #expect(throws: ValidationError.self) { try view.save() }
        try item.setValue(.double(1), forKey: "weight")
        try view.save()
        #expect(try item.value(forKey: "weight") == .double(1))
    }

    @Test func aCounterMayExceedItsIntegerType() async throws {
        let id = id
        for _ in 0..<2 {
            try await container.save { context in
                let item = try context.existingObject(with: id)
                guard case .integer(let small) = try item.value(forKey: "small") else { return }
                try item.setValue(.integer(small + 20_000), forKey: "small")
            }
        }
        try await container.save { context in
            let item = try context.existingObject(with: id)
            #expect(try item.value(forKey: "small") == .integer(40_000))
            let write = PropertyWrite(name: "small", value: JSONValue(increment: .integer(-1)))
            let change = Change(entity: "Item", id: id.uniqueID, operation: .update([write]))
            _ = try context.apply([ConditionalChange(change)])
        }
        #expect(try exported("small") == ["20000", "20000", "-1"])
        try await container.execute(BatchUpdateRequest("Item", setting: ["small": .increment(.integer(1))]))
        let small = try await container.performBackgroundTask { try $0.existingObject(with: id).value(forKey: "small") }
        #expect(small == .integer(40_000))
    }

    @Test func aDefaultIsCountedOnce() async throws {
        let other = try await PersistentContainer.open(folder, "other", model: container.model)
        let key = UniqueID(high: 7, low: 7)
        for container in [container, other] {
            try await container.save { context in
                let item = try context.insert(entity: "Item", id: key)
                #expect(try item.value(forKey: "points") == .integer(10))
                try item.setValue(.integer(11), forKey: "points")
            }
        }
        try ReplicaExchange.send(from: container.store, to: other.store)
        try ReplicaExchange.send(from: other.store, to: container.store)
        for container in [container, other] {
            let points = try await container.performBackgroundTask { context -> PropertyValue? in
                let found = try context.fetch(FetchRequest("Item")).first { $0.uniqueID == key }
                return try found?.value(forKey: "points")
            }
            #expect(points == .integer(12))
        }
        try await other.close()
    }
}

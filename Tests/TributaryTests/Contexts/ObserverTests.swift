import TestSupport
import Testing

@testable import Tributary

/// Observers may change objects and save, and all observers are notified in one order.
struct ObserverTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private final class Ear {
        var story: [String] = []

        func hear(_ notice: ObjectsDidChange) {
            story.append("\(notice.inserted.count) new, \(notice.updated.count) changed")
        }
    }

    @Test func theSecondObserverIsNotifiedOfTheGroupsInOrder() async throws {
        try await container.performBackgroundTask { context in
            let (first, second) = (Ear(), Ear())
            context.observeChanges { notice in
                first.hear(notice)
                guard let new = notice.inserted.first else { return }
                context.object(with: new, as: Employee.self)?.salary = 1
                // A fetch comes after the pending changes: they are not told in the middle of others.
                #expect((try? context.count(for: FetchRequest("Employee"))) == 1)
            }
            context.observeChanges { second.hear($0) }
            try context.hire("Ann")
            context.processPendingChanges()
            #expect(first.story == ["1 new, 0 changed", "0 new, 1 changed"])
            #expect(second.story == first.story)
        }
    }

    @Test func anObserverThatChangesAndFetchesEachTimeComesToAnEnd() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.insert(Employee.self)
            var told = 0
            context.observeChanges { _ in
                told += 1
                ann.age += 1
                _ = try? context.count(for: FetchRequest("Employee"))
            }
            ann.name = "Ann"
            context.processPendingChanges()
            #expect(told == ManagedObjectContext.maximumRounds)
        }
    }

    @Test func anObserverMaySave() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let ear = Ear()
            context.observeChanges { notice in
                if !notice.inserted.isEmpty { #expect(throws: Never.self) { try context.save() } }
            }
            context.observeChanges { ear.hear($0) }
            let ann = try context.hire("Ann")
            context.processPendingChanges()
            #expect(!context.hasChanges && ear.story.first == "1 new, 0 changed")
            return ann.objectID
        }
        #expect(try await container.performBackgroundTask { try $0.existingObject(with: id).objectID } == id)
    }

    @Test func mergesThatAreTooMuchToListTogetherSayEverything() async throws {
        await container.performBackgroundTask { context in
            var isEverything = false
            context.observeChanges { isEverything = $0.isEverything }
            var changes = ObjectChanges(limit: .max)
            for number in 0...ObjectChanges.defaultLimit {
                let id = UniqueID(high: 0x0190_f1a2_0000_7000, low: 0x8000_0000_0000_0000 + UInt64(number))
                changes.update(ManagedObjectID("Note", id))
            }
            #expect(changes.count > ObjectChanges.defaultLimit)
            context.mergeChanges(changes)
            #expect(isEverything)
        }
    }

    @Test @MainActor func aRollbackTellsOfTheOtherEndsAsWell() async throws {
        let view = container.viewContext
        let (ann, sales) = (try view.insert(Employee.self), try view.insert(Department.self))
        ann.name = "Ann"
        try view.save()
        ann.department = sales
        view.processPendingChanges()
        var updated: Set<ManagedObjectID> = []
        view.observeChanges { updated.formUnion($0.updated) }
        view.rollback()
        #expect(sales.employees.isEmpty)
        #expect(updated == [ann.objectID, sales.objectID])
    }

    @Test func refreshingEverythingIsOneGroup() async throws {
        let ids = try await container.hire((0..<20).map(String.init))
        let background = container.newBackgroundContext()
        try await background.perform { (context: ManagedObjectContext) throws in
            context.retainsRegisteredObjects = true
            #expect(try context.fetch(Employee.self).map(\.name).count == ids.count)
        }
        try await container.save { context in
            for id in ids { context.object(with: id, as: Employee.self)?.salary = 7 }
        }
        try await background.save { context in
            var groups: [Int] = []
            context.observeChanges { groups.append($0.updated.count) }
            context.object(with: ids[0], as: Employee.self)?.age = 50
            context.processPendingChanges()
            groups = []
            context.refreshAllObjects()
            #expect(groups == [ids.count])
            let employees = ids.compactMap { context.object(with: $0, as: Employee.self) }
            #expect(employees.allSatisfy { $0.salary == 7 } && employees[0].age == 50)
        }
    }
}

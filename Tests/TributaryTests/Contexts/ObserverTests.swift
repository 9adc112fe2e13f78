import Synchronization
import TestSupport
import Testing

@testable import Tributary

/// Observers of a context: how many there are, what they are told and in which order, and what they may do.
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

    // MARK: Several observers of one moment, and ending one of them

    @Test func allObserversOfASaveAreCalledInTheirOrderUntilTheyAreCancelled() async throws {
        try await container.performBackgroundTask { context in
            var calls: [String] = []
            context.onWillSave = { _ in calls.append("will") }
            context.onDidSave = { _, _ in calls.append("did") }
            let first = context.observeWillSave { _ in calls.append("will 1") }
            context.observeWillSave { _ in calls.append("will 2") }
            let second = context.observeDidSave { _, changes in calls.append("did 1: \(changes.inserted.count)") }
            context.observeDidSave { context, _ in calls.append("did 2: \(context.hasChanges)") }
            try context.insert(Project.self)
            try context.save()
            #expect(calls == ["will", "will 1", "will 2", "did", "did 1: 1", "did 2: false"])
            calls = []
            first.cancel()
            context.removeObserver(second)
            first.cancel()
            #expect(!first.isActive && !second.isActive)
            context.onWillSave = nil
            try context.insert(Project.self)
            try context.save()
            #expect(calls == ["will 2", "did", "did 2: false"])
        }
    }

    @Test func anObserverIsCancelledFromOutsideItsContext() async throws {
        let background = container.newBackgroundContext()
        let (isGone, other) = (GoneFlag(), GoneFlag())
        let first = await background.perform { context in
            let held = Held(isGone)
            return context.observeDidSave { _, _ in Issue.record("it was cancelled: \(held)") }
        }
        let second = await background.perform { context in
            let held = Held(other)
            return context.observeDidSave { _, _ in Issue.record("it was removed: \(held)") }
        }
        first.cancel()
        await background.perform { $0.removeObserver(second) }
        #expect(isGone.isSet && other.isSet && !first.isActive && !second.isActive)
        try await background.save { _ = try $0.insert(Project.self) }
    }

    @Test func anObserverThatChangesObjectsBeforeASaveIsPartOfIt() async throws {
        try await container.performBackgroundTask { context in
            context.observeWillSave { context in
                for case let employee as Employee in context.insertedObjects { employee.name += "!" }
            }
            context.observeWillSave { context in
                for case let employee as Employee in context.insertedObjects { employee.name += "?" }
            }
            try context.hireAndSave("Ann")
            #expect(try context.fetch(Employee.self).map(\.name) == ["Ann!?"])
        }
    }

    @Test func anObserverThatIsCancelledByOneBeforeItIsNotCalled() async throws {
        try await container.performBackgroundTask { context in
            var calls: [Int] = []
            var second: ObserverToken?
            context.observeChanges { _ in
                calls.append(1)
                second?.cancel()
                context.observeChanges { _ in calls.append(3) }
            }
            second = context.observeChanges { _ in calls.append(2) }
            try context.insert(Project.self)
            context.processPendingChanges()
            #expect(calls == [1])
            try context.insert(Project.self)
            context.processPendingChanges()
            #expect(calls == [1, 1, 3])
        }
    }

    @Test func allObserversHearOfAnObjectThatCannotBeRead() async throws {
        let id = try await container.save { context in
            let employee = try context.hireAndSave("Ann")
            context.delete(employee)
            return employee.objectID
        }
        try await container.performBackgroundTask { context in
            let employee = context.object(with: id)
            var calls: [String] = []
            context.onInaccessibleFault = { _, _ in calls.append("property") }
            let other = context.observeInaccessibleFaults { _, _ in calls.append("cancelled") }
            context.observeInaccessibleFaults { object, error in
                calls.append("observer")
                #expect(object === employee && error == .notFound(id))
            }
            other.cancel()
            _ = try employee.value(forKey: "name")
            _ = try employee.value(forKey: "name")
            #expect(calls == ["property", "observer"])
        }
    }

    @MainActor @Test func observersOfAListAreNotifiedUntilTheyAreCancelled() async throws {
        let context = container.viewContext
        let controller = try FetchedResultsController<Project>(
            FetchRequest("Project", sortKeys: [SortKey("title")]),
            context: context
        )
        var calls: [String] = []
        controller.onChange = { calls.append("property \($0.insertions.count)") }
        let first = controller.observeDiffs { calls.append("first \($0.insertions.count)") }
        controller.observeDiffs { calls.append("second \($0.insertions.count)") }
        try context.insert(Project.self)
        context.processPendingChanges()
        #expect(calls == ["property 1", "first 1", "second 1"])
        first.cancel()
        try context.insert(Project.self)
        context.processPendingChanges()
        #expect(calls.suffix(2) == ["property 1", "second 1"] && calls.count == 5)
        controller.stop()
    }

    private final class Held: Sendable {
        let isGone: GoneFlag

        init(_ isGone: GoneFlag) { self.isGone = isGone }

        deinit { isGone.set() }
    }

    private final class GoneFlag: Sendable {
        private let flag = Atomic(false)

        var isSet: Bool { flag.load(ordering: .sequentiallyConsistent) }

        func set() { flag.store(true, ordering: .sequentiallyConsistent) }
    }

    @Test func aContextThatClosesEndsItsObservers() async throws {
        let isGone = GoneFlag()
        let background = container.newBackgroundContext()
        await background.perform { context in
            let held = Held(isGone)
            context.observeChanges { _ in _ = held }
            context.observeDidSave { _, _ in _ = held }
        }
        #expect(!isGone.isSet)
        try await container.close()
        #expect(isGone.isSet)
    }
}

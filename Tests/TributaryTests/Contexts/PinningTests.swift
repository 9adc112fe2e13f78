import TestSupport
import Testing
import Tributary
import TributaryStore

/// A background context at one generation while others write.
struct PinningTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func rename(_ id: ManagedObjectID, _ name: String) async throws {
        try await container.change(id) { $0.name = name }
    }

    private func names(_ context: BackgroundContext) async throws -> [String] {
        try await context.perform { try $0.fetch(Employee.self, sortKeys: [SortKey("name")]).map(\.name) }
    }

    @Test
    func fetchesCountsAndFaultsStayWhereTheyAre() async throws {
        let ann = try await container.hire("Ann")
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await rename(ann, "Bea")
        try await container.hire("Cid")
        #expect(try await names(pinned) == ["Ann"])
        #expect(try await pinned.perform { try $0.count(for: FetchRequest("Employee")) } == 1)
        #expect(await pinned.perform { $0.object(with: ann, as: Employee.self)?.name } == "Ann")
        #expect(try await pinned.perform { try $0.fetchIDs(FetchRequest("Employee")) } == [ann])
    }

    @Test
    func aRelationshipIsReadAtTheGeneration() async throws {
        let department = try await container.performBackgroundTask { context in
            let department = try context.insert(Department.self)
            try context.save()
            return department.objectID
        }
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await container.performBackgroundTask { context in
            try context.hire("Ann").department = context.object(with: department, as: Department.self)
            try context.save()
        }
        #expect(await pinned.perform { $0.object(with: department, as: Department.self)?.employees.count } == 0)
        try await pinned.perform { try $0.unpin() }
        #expect(await pinned.perform { $0.object(with: department, as: Department.self)?.employees.count } == 1)
    }

    @Test
    func anObjectOfALaterGenerationIsNotMergedYet() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        let ann = try await container.hire("Ann")
        await #expect {
            try await pinned.perform { _ = try $0.existingObject(with: ann) }
        } throws: { error in
            if case ContextError.notYetMerged = error { true } else { false }
        }
        try await pinned.perform { try $0.pin() }
        try await pinned.perform { _ = try $0.existingObject(with: ann) }
    }

    @Test
    func pinningBringsObjectsInUseToTheGeneration() async throws {
        let ann = try await container.hire("Ann")
        let pinned = container.newBackgroundContext()
        // A change keeps the object in use from one body to the next.
        await pinned.perform { $0.object(with: ann, as: Employee.self)?.salary = 1 }
        try await rename(ann, "Bea")
        let name = try await pinned.perform { context in
            try context.pin()
            #expect(context.isPinned)
            return (context.updatedObjects.first as? Employee)?.name
        }
        #expect(name == "Bea")
    }

    @Test
    func aSaveMovesToItsOwnTransactionAndMergesWhatCameBefore() async throws {
        let ann = try await container.hire("Ann")
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await container.hire("Bob")
        try await rename(ann, "Bea")
        let seen = try await pinned.perform { context in
            let held = try #require(context.object(with: ann, as: Employee.self))
            #expect(held.name == "Ann")
            var notices: [ObjectsDidChange] = []
            context.observeChanges { notices.append($0) }
            try context.insert(Employee.self).name = "Cid"
            try context.save()
            #expect(held.name == "Bea" && context.isPinned)
            #expect(notices.contains { $0.updated == [ann] })
            return try context.names()
        }
        #expect(seen == ["Bea", "Bob", "Cid"])
        try await container.hire("Dan")
        #expect(try await names(pinned) == ["Bea", "Bob", "Cid"])
    }

    @Test
    func aSaveIsCheckedAgainstTheNewestRows() async throws {
        let ann = try await container.hire("Ann")
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await rename(ann, "Bea")
        try await pinned.perform { context in
            context.object(with: ann, as: Employee.self)?.name = "Cid"
            #expect(throws: ConflictError.self) { try context.save() }
            #expect(context.hasChanges && context.isPinned)
            context.mergePolicy = .objectTrump
            try context.save()
        }
        #expect(try await names(pinned) == ["Cid"])
    }

    @Test
    func unpinningReadsWhatIsNewest() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await container.hire("Ann")
        try await pinned.perform { try $0.unpin() }
        #expect(try await names(pinned) == ["Ann"])
        #expect(await pinned.perform { !$0.isPinned })
    }

    @Test
    func aChildReadsAtThePinOfItsParent() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await container.hire("Ann")
        let child = pinned.newChild()
        #expect(try await child.perform { try $0.count(for: FetchRequest("Employee")) } == 0)
        #expect(try await pinned.perform { try $0.newChild().count(for: FetchRequest("Employee")) } == 0)
        await #expect(throws: ContextError.self) { try await child.perform { try $0.pin() } }
    }

    @Test
    func oneTransactionOfSeveralSavesMovesThePinOnce() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { try $0.pin() }
        try await container.hire("Ann")
        try await container.coordinator.perform(on: pinned) { context in
            try context.insert(Employee.self).name = "Bob"
            try context.save()
        }
        #expect(try await names(pinned) == ["Ann", "Bob"])
    }

    @Test
    @MainActor
    func theViewContextIsNotPinnedByHand() {
        #expect(container.viewContext.isPinned)
        #expect(throws: ContextError.self) { try container.viewContext.pin() }
        #expect(throws: ContextError.self) { try container.viewContext.unpin() }
    }
}

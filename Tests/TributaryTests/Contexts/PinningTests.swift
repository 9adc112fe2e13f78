import TestSupport
import Testing
import Tributary
import TributaryStore

/// A background context at one generation while others write.
struct PinningTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func pinnedContext() async throws -> BackgroundContext {
        let context = container.newBackgroundContext()
        try await context.perform { try $0.pin() }
        return context
    }

    private func names(_ context: BackgroundContext) async throws -> [String] {
        try await context.perform { try $0.names() }
    }

    @Test func fetchesCountsAndFaultsStayWhereTheyAre() async throws {
        let ann = try await container.hire("Ann")
        let pinned = try await pinnedContext()
        try await container.change(ann) { $0.name = "Bea" }
        try await container.hire("Cid")
        #expect(try await names(pinned) == ["Ann"])
        #expect(try await pinned.perform { try $0.count(for: FetchRequest("Employee")) } == 1)
        #expect(await pinned.perform { $0.object(with: ann, as: Employee.self)?.name } == "Ann")
        #expect(try await pinned.perform { try $0.fetchIDs(FetchRequest("Employee")) } == [ann])
    }

    @Test func aRelationshipIsReadAtTheGeneration() async throws {
        let department = try await container.save { try $0.insert(Department.self).objectID }
        let pinned = try await pinnedContext()
        try await container.save { try $0.hire("Ann").department = $0.object(with: department, as: Department.self) }
        #expect(await pinned.perform { $0.object(with: department, as: Department.self)?.employees.count } == 0)
        try await pinned.perform { try $0.unpin() }
        #expect(await pinned.perform { $0.object(with: department, as: Department.self)?.employees.count } == 1)
    }

    @Test func anObjectOfALaterGenerationIsNotMergedYet() async throws {
        let pinned = try await pinnedContext()
        let ann = try await container.hire("Ann")
        await #expect {
            try await pinned.perform { _ = try $0.existingObject(with: ann) }
        } throws: { error in
            if case ContextError.notYetMerged = error { true } else { false }
        }
        try await pinned.perform { try $0.pin() }
        try await pinned.perform { _ = try $0.existingObject(with: ann) }
    }

    @Test func pinningBringsObjectsInUseToTheGeneration() async throws {
        let ann = try await container.hire("Ann")
        let pinned = container.newBackgroundContext()
        // A change keeps the object in use from one body to the next.
        await pinned.perform { $0.object(with: ann, as: Employee.self)?.salary = 1 }
        try await container.change(ann) { $0.name = "Bea" }
        let name = try await pinned.perform { context in
            try context.pin()
            #expect(context.isPinned)
            return (context.updatedObjects.first as? Employee)?.name
        }
        #expect(name == "Bea")
    }

    @Test func aSaveMovesToItsOwnTransactionAndMergesWhatCameBefore() async throws {
        let ann = try await container.hire("Ann")
        let pinned = try await pinnedContext()
        try await container.hire("Bob")
        try await container.change(ann) { $0.name = "Bea" }
        let seen = try await pinned.perform { context in
            let held = try #require(context.object(with: ann, as: Employee.self))
            #expect(held.name == "Ann")
            var notices: [ObjectsDidChange] = []
            context.observeChanges { notices.append($0) }
            try context.hireAndSave("Cid")
            #expect(held.name == "Bea" && context.isPinned)
            #expect(notices.contains { $0.updated == [ann] })
            return try context.names()
        }
        #expect(seen == ["Bea", "Bob", "Cid"])
        try await container.hire("Dan")
        #expect(try await names(pinned) == ["Bea", "Bob", "Cid"])
    }

    @Test func aSaveIsCheckedAgainstTheNewestRows() async throws {
        let ann = try await container.hire("Ann")
        let pinned = try await pinnedContext()
        try await container.change(ann) { $0.name = "Bea" }
        try await pinned.save { context in
            context.object(with: ann, as: Employee.self)?.name = "Cid"
            #expect(throws: ConflictError.self) { try context.save() }
            #expect(context.hasChanges && context.isPinned)
            context.mergePolicy = .objectTrump
        }
        #expect(try await names(pinned) == ["Cid"])
    }

    @Test func unpinningReadsWhatIsNewest() async throws {
        let pinned = try await pinnedContext()
        try await container.hire("Ann")
        try await pinned.perform { try $0.unpin() }
        #expect(try await names(pinned) == ["Ann"])
        #expect(await pinned.perform { !$0.isPinned })
    }

    @Test func aChildReadsAtThePinOfItsParent() async throws {
        let pinned = try await pinnedContext()
        try await container.hire("Ann")
        let child = pinned.newChild()
        #expect(try await child.perform { try $0.count(for: FetchRequest("Employee")) } == 0)
        #expect(try await pinned.perform { try $0.newChild().count(for: FetchRequest("Employee")) } == 0)
        await #expect(throws: ContextError.self) { try await child.perform { try $0.pin() } }
    }

    @Test func oneTransactionOfSeveralSavesMovesThePinOnce() async throws {
        let pinned = try await pinnedContext()
        try await container.hire("Ann")
        try await container.coordinator.perform(on: pinned) { _ = try $0.hireAndSave("Bob") }
        #expect(try await names(pinned) == ["Ann", "Bob"])
    }

    @Test @MainActor func theViewContextIsNotPinnedByHand() {
        #expect(container.viewContext.isPinned)
        #expect(throws: ContextError.self) { try container.viewContext.pin() }
        #expect(throws: ContextError.self) { try container.viewContext.unpin() }
    }
}

import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// A save that a hook of a save makes: the context ends at the newer one's generation, with everything merged.
struct SavingHookTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func add(_ name: String) async throws {
        try await container.hire(name)
    }

    /// Saves once more from the hook, with a new object.
    private static func saveAgain(_ context: ManagedObjectContext) {
        var isFirst = true
        context.onDidSave = { context, _ in
            guard isFirst else { return }
            isFirst = false
            #expect(throws: Never.self) {
                try context.insert(Employee.self).name = "Hook"
                try context.save()
            }
        }
    }

    private static func names(_ context: ManagedObjectContext) throws -> [String] {
        try context.names()
    }

    @Test
    @MainActor
    func theViewContextStaysAtTheGenerationOfTheLaterSave() async throws {
        let view = container.viewContext
        try await add("Bob")
        Self.saveAgain(view)
        try view.insert(Employee.self).name = "Ann"
        try view.save()
        #expect(view.generation?.number == container.pipeline.generation.number)
        #expect(view.lastSaveToken?.number == view.generation?.number)
        #expect(try Self.names(view) == ["Ann", "Bob", "Hook"])
    }

    @Test
    func aPinnedContextStaysAtTheGenerationOfTheLaterSave() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { context in
            try context.pin()
            Self.saveAgain(context)
        }
        try await add("Bob")
        try await pinned.perform { context in
            try context.insert(Employee.self).name = "Ann"
            try context.save()
            #expect(context.generation?.number == context.lastSaveToken?.number)
            #expect(try Self.names(context) == ["Ann", "Bob", "Hook"])
        }
    }

    @Test
    @MainActor
    func anObserverThatSavesInTheMiddleOfAMergeDoesNotTakeTheContextBack() async throws {
        let view = container.viewContext
        let ann = try view.hire("Ann")
        try view.save()
        view.processPendingChanges()
        try await add("Bob")
        view.observeChanges { [weak view] _ in
            guard view?.hasChanges == true else { return }
            #expect(throws: Never.self) { try view?.save() }
        }
        ann.salary = 5
        await container.mergePendingChanges()
        #expect(!view.hasChanges)
        #expect(view.generation?.number == container.pipeline.generation.number)
        #expect(try Self.names(view) == ["Ann", "Bob"])
    }
}

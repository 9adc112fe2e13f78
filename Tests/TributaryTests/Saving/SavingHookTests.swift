import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// A save that a hook of a save makes: the context ends at the newer one's generation, with everything merged.
struct SavingHookTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// Saves once more from the hook, with a new object.
    private static func saveAgain(_ context: ManagedObjectContext) {
        var isFirst = true
        context.onDidSave = { context, _ in
            guard isFirst else { return }
            isFirst = false
            #expect(throws: Never.self) {
                try context.hireAndSave("Hook")
            }
        }
    }

    @Test @MainActor func theViewContextStaysAtTheGenerationOfTheLaterSave() async throws {
        let view = container.viewContext
        try await container.hire("Bob")
        Self.saveAgain(view)
        try view.hireAndSave("Ann")
        #expect(view.generation?.number == container.pipeline.generation.number)
        #expect(view.lastSaveToken?.number == view.generation?.number)
        #expect(try view.names() == ["Ann", "Bob", "Hook"])
    }

    @Test func aPinnedContextStaysAtTheGenerationOfTheLaterSave() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { context in
            try context.pin()
            Self.saveAgain(context)
        }
        try await container.hire("Bob")
        try await pinned.perform { context in
            try context.hireAndSave("Ann")
            #expect(context.generation?.number == context.lastSaveToken?.number)
            #expect(try context.names() == ["Ann", "Bob", "Hook"])
        }
    }

    @Test @MainActor func anObserverThatSavesInTheMiddleOfAMergeDoesNotTakeTheContextBack() async throws {
        let view = container.viewContext
        let ann = try view.hireAndSave("Ann")
        view.processPendingChanges()
        try await container.hire("Bob")
        view.observeChanges { [weak view] _ in
            guard view?.hasChanges == true else { return }
            #expect(throws: Never.self) { try view?.save() }
        }
        ann.salary = 5
        await container.mergePendingChanges()
        #expect(!view.hasChanges)
        #expect(view.generation?.number == container.pipeline.generation.number)
        #expect(try view.names() == ["Ann", "Bob"])
    }
}

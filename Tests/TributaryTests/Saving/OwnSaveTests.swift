import TestSupport
import Testing
import Tributary

/// Changes that the store makes in a save belong to the save: its context does not conflict with them later.
struct OwnSaveTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func whoLosesAOneToOneDoesNotConflictEither() async throws {
        try await container.performBackgroundTask { context in
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            let badge = try context.insert(Badge.self)
            badge.owner = ann
            try context.save()
            badge.owner = bob
            try context.save()
            (ann.salary, bob.salary) = (1, 2)
            try context.save()
            #expect(ann.badge == nil && bob.badge === badge)
        }
    }

    @Test func anObjectThatWasLinkedAndTouchedByTheStoreInOneSaveDoesNotConflict() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            let badge = try context.insert(Badge.self)
            let project = try context.insert(Project.self)
            try context.save()
            ann.badge = badge
            ann.projects = [project]
            try context.save()
            #expect(context.mergePolicy == .error)
            ann.salary = 5
            badge.number = 3
            project.title = "Till"
            try context.save()
            #expect(
                ann.badge === badge && badge.owner === ann && ann.salary == 5 && project.title == "Till"
                    && !context.hasChanges
            )
        }
    }

    @Test func aDeletionLeavesNoConflictBehind() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            let badge = try context.insert(Badge.self)
            ann.badge = badge
            try context.save()
            context.delete(badge)
            try context.save()
            ann.salary = 5
            try context.save()
            #expect(ann.badge == nil)
        }
    }

    @Test @MainActor func theViewContextIsInStepWithItsOwnSave() throws {
        let view = container.viewContext
        view.mergePolicy = .error
        let ann = try view.hire("Ann")
        let badge = try view.insert(Badge.self)
        try view.save()
        ann.badge = badge
        try view.save()
        ann.salary = 5
        try view.save()
        #expect(ann.badge === badge && !view.hasChanges)
    }

    @Test func savesThatAreOneTransactionAreInStep() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            let badge = try context.insert(Badge.self)
            try context.save()
            try context.performInOneTransaction {
                ann.badge = badge
                try context.save()
                ann.salary = 5
                try context.save()
            }
            ann.age = 50
            try context.save()
            #expect(ann.badge === badge && ann.salary == 5 && ann.age == 50 && !context.hasChanges)
        }
    }

    @Test func theContextTellsOfWhatTheStoreHasChanged() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            let badge = try context.insert(Badge.self)
            try context.save()
            context.processPendingChanges()
            var updated: Set<ManagedObjectID> = []
            context.observeChanges { updated.formUnion($0.updated) }
            ann.badge = badge
            try context.save()
            context.processPendingChanges()
            #expect(updated == [ann.objectID, badge.objectID])
        }
    }
}

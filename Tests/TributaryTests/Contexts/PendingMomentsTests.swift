import TestSupport
import Testing
import Tributary

/// When pending changes are processed without being asked for, and what processing does.
struct PendingMomentsTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test
    func processingPropagatesNullifyAndCascadeButNotDeny() async throws {
        try await container.performBackgroundTask { context in
            let department = try context.insert(Department.self)
            let ann = try context.hire("Ann")
            ann.department = department
            let badge = try context.insert(Badge.self)
            ann.badge = badge
            let locker = try context.insert(entity: "Locker")
            try ann.link(locker, forKey: "lockers")
            try context.save()

            context.delete(department)
            context.processPendingChanges()
            #expect(ann.department == nil && context.updatedObjects.contains(ann))
            context.delete(ann)
            context.processPendingChanges()
            #expect(context.deletedObjects == [department, ann, badge], "the denial is not looked at yet")
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(context.deletedObjects.count == 3)
            context.delete(locker)
            try context.save()
            #expect(try context.count(for: FetchRequest("Employee")) == 0)
            #expect(try context.count(for: FetchRequest("Badge")) == 0)
        }
    }

    @Test
    func aFetchSeesPropagatedDeletions() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            ann.badge = try context.insert(Badge.self)
            try context.save()
            context.delete(ann)
            #expect(try context.fetch(FetchRequest("Badge")).isEmpty, "the cascade has run")
            context.rollback()
            #expect(try context.fetch(FetchRequest("Badge")).count == 1)
            #expect(try context.fetch(FetchRequest("Employee")).count == 1)
        }
    }
}

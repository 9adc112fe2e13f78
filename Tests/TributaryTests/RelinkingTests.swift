import TestSupport
import Testing
import Tributary

/// Pairs that two contexts link and unlink: the last word of each context is what its save does.
struct RelinkingTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let ann: ManagedObjectID
    let till: ManagedObjectID

    init() async throws {
        folder = try TemporaryFolder("relinking")
        container = try await Company.open(folder)
        (ann, till) = try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            employee.name = "Ann"
            let project = try context.insert(Project.self)
            try context.save()
            return (employee.objectID, project.objectID)
        }
    }

    private func set(_ isLinked: Bool, _ context: ManagedObjectContext) throws {
        let (employee, project) = (context.object(with: ann), context.object(with: till))
        if isLinked {
            try employee.link(project, forKey: "projects")
        } else {
            try employee.unlink(project, forKey: "projects")
        }
    }

    private func linked(_ context: ManagedObjectContext) throws -> Bool {
        let here = try context.object(with: ann).objectIDs(forKey: "projects") == [till]
        #expect(try context.object(with: till).objectIDs(forKey: "members").contains(ann) == here)
        return here
    }

    @Test(arguments: [true, false])
    func whatOthersHaveDoneMeanwhileCanBeTakenBack(_ isLinked: Bool) async throws {
        try await container.performBackgroundTask { context in
            try set(!isLinked, context)
            try context.save()
        }
        let background = container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { context in
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = true
            try set(isLinked, context)
        }
        try await container.performBackgroundTask { context in
            try set(isLinked, context)
            try context.save()
        }
        try await background.perform { context in
            #expect(try linked(context) == isLinked)
            try set(!isLinked, context)
            #expect(try linked(context) == !isLinked)
            try context.save()
            #expect(try linked(context) == !isLinked)
        }
        let stored = try await container.performBackgroundTask { try linked($0) }
        #expect(stored == !isLinked)
    }
}

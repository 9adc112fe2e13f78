import TestSupport
import Testing
import Tributary

/// A program resolves conflicts by itself, or by a refresh, and is notified of saves.
struct ConflictResolverTests {
    struct Refused: Error {}

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// One context edits the name, another the name and the salary; the first saves last.
    private func race(
        _ resolve: @escaping @Sendable (ManagedObject, MergeConflict) throws -> MergePolicy?
    ) async throws -> (String, Double?) {
        let (background, id) = try await Company.conflict(in: container) { employee in
            (employee.name, employee.salary) = ("There", 7)
        }
        return try await background.perform { context in
            context.resolveConflict = resolve
            try context.save()
            let employee = try context.existingObject(with: id, as: Employee.self)
            return (employee.name, employee.salary)
        }
    }

    @Test func itMayChangeTheLiveObject() async throws {
        let result = try await race { object, conflict in
            #expect(conflict.changedProperties == ["name"] && conflict.changedInStore == ["name", "salary"])
            guard let employee = object as? Employee else { return .error }
            employee.name += "+There"
            employee.salary = 9
            return .objectTrump
        }
        #expect(result.0 == "Here+There" && result.1 == 9)
    }

    @Test func itMayLeaveItToAPolicy() async throws {
        #expect(try await race { _, _ in .rollback }.0 == "There")
        #expect(try await race { _, _ in .storeTrump }.1 == 7)
        await #expect(throws: ConflictError.self) { _ = try await race { _, _ in nil } }
    }

    @Test func anErrorOfTheResolverEndsTheSave() async throws {
        await #expect(throws: Refused.self) { _ = try await race { _, _ in throw Refused() } }
    }

    @Test func refreshingSettlesAConflict() async throws {
        let (background, id) = try await Company.conflict(in: container) { $0.salary = 5 }
        try await background.perform { context in
            #expect(throws: ConflictError.self) { try context.save() }
            let employee = try #require(context.object(with: id, as: Employee.self))
            context.refresh(employee, mergeChanges: true)
            #expect(employee.name == "Here" && employee.salary == 5)
            try context.save()
        }
    }

    @Test func savesAreAnnouncedBeforeAndAfter() async throws {
        try await container.performBackgroundTask { context in
            var told: [String] = []
            context.onWillSave = { context in
                told.append("will")
                for case let employee as Employee in context.insertedObjects { employee.name += "!" }
            }
            context.onDidSave = { _, changes in told.append("did \(changes.inserted.count)") }
            let employee = try context.hireAndSave("Ann")
            try context.save()
            #expect(told == ["will", "did 1"])
            #expect(employee.name == "Ann!")
        }
    }
}

import Synchronization
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
        try await background.save { context in
            #expect(throws: ConflictError.self) { try context.save() }
            let employee = try #require(context.object(with: id, as: Employee.self))
            context.refresh(employee, mergeChanges: true)
            #expect(employee.name == "Here" && employee.salary == 5)
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

    // MARK: Changes to other objects are saved with the rest

    /// The names of all employees, when of "a", "b" and "c" the first two are changed here and the second elsewhere
    /// too.
    private func raceOfThree(
        _ resolve: @escaping @Sendable (ManagedObjectContext, [String: Employee]) throws -> Void
    ) async throws -> [String] {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let employees = try ["a", "b", "c"].map { try context.hire($0) }
            try context.save()
            for employee in employees.prefix(2) { employee.name += "+here" }
            return employees[1].objectID
        }
        try await container.change(id) { $0.name = "there" }
        try await background.perform { context in
            let found = try context.fetch(FetchRequest("Employee"), as: Employee.self)
            let employees = Dictionary(uniqueKeysWithValues: found.map { (String($0.name.prefix(1)), $0) })
            context.resolveConflict = { [unowned context] object, _ in
                #expect(object.objectID == id)
                try resolve(context, employees)
                return .objectTrump
            }
            defer { context.resolveConflict = nil }
            try context.save()
            #expect(!context.hasChanges)
        }
        // Another context reads what the store has.
        return try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Employee"), as: Employee.self).map(\.name).sorted()
        }
    }

    @Test func `objects that are planned already, and such that were clean`() async throws {
        let count = Mutex(0)
        let names = try await raceOfThree { _, employees in
            count.withLock { $0 += 1 }
            for employee in employees.values { employee.name += "+resolved" }
        }
        #expect(names == ["a+here+resolved", "b+here+resolved", "c+resolved"])
        #expect(count.withLock(\.self) == 1, "it is asked once for each object")
    }

    @Test func `objects that it inserts or deletes`() async throws {
        let names = try await raceOfThree { context, employees in
            try context.hire("new")
            if let employee = employees["c"] { context.delete(employee) }
        }
        #expect(names == ["a+here", "b+here", "new"])
    }

    @Test func `invalid values that it sets are refused`() async throws {
        await #expect(throws: ValidationError.self) {
            _ = try await raceOfThree { _, employees in employees["a"]?.salary = -1 }
        }
    }

    @Test func `objects that it inserts must be whole`() async throws {
        await #expect(throws: ValidationError.self) {
            _ = try await raceOfThree { context, _ in _ = try context.insert(Employee.self) }
        }
    }
}

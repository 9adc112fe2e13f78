import Synchronization
import TestSupport
import Testing
import Tributary

/// Changes that `resolveConflict` makes to other objects are saved with the rest.
struct ResolverReachTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// The names of all employees, when of "a", "b" and "c" the first two are changed here and the second elsewhere
    /// too.
    private func race(
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
        let names = try await race { _, employees in
            count.withLock { $0 += 1 }
            for employee in employees.values { employee.name += "+resolved" }
        }
        #expect(names == ["a+here+resolved", "b+here+resolved", "c+resolved"])
        #expect(count.withLock(\.self) == 1, "it is asked once for each object")
    }

    @Test func `objects that it inserts or deletes`() async throws {
        let names = try await race { context, employees in
            try context.hire("new")
            if let employee = employees["c"] { context.delete(employee) }
        }
        #expect(names == ["a+here", "b+here", "new"])
    }

    @Test func `invalid values that it sets are refused`() async throws {
        await #expect(throws: ValidationError.self) {
            _ = try await race { _, employees in employees["a"]?.salary = -1 }
        }
    }

    @Test func `objects that it inserts must be whole`() async throws {
        await #expect(throws: ValidationError.self) {
            _ = try await race { context, _ in _ = try context.insert(Employee.self) }
        }
    }
}

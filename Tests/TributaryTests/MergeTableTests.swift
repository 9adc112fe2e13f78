import TestSupport
import Testing
import Tributary

/// What merging does to an object: what it is here against what happened to it elsewhere.
struct MergeTableTests {
    enum Here: CaseIterable, Sendable { case clean, dirty, inserted, deleted }
    enum There: CaseIterable, Sendable { case update, delete, everything }

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("table")
        container = try await Company.open(folder)
    }

    @Test(arguments: Here.allCases, There.allCases)
    func cell(_ here: Here, _ there: There) async throws {
        let background = container.newBackgroundContext()
        let id = try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            employee.name = "Ann"
            try context.save()
            return employee.objectID
        }
        var changes = ObjectChanges()
        switch there {
        case .update: changes.update(id)
        case .delete: changes.delete(id)
        case .everything: changes.collapseEverything()
        }
        let announced = changes
        let other = container.newBackgroundContext()
        try await background.perform { context in
            let employee = try #require(
                here == .inserted
                    ? try context.insert(Employee.self) : try context.existingObject(with: id) as? Employee
            )
            switch here {
            case .clean: break
            case .dirty: employee.salary = 1
            case .inserted: employee.name = "New"
            case .deleted: context.delete(employee)
            }
            // The other context has a queue of its own, so waiting for it here is safe.
            other.performAndWait { context in
                guard let object = context.object(with: id) as? Employee else { return }
                if there == .delete { context.delete(object) } else { object.name = "Bob" }
                try? context.save()
            }
            context.mergeChanges(announced)
            MergeTableTests.check(employee, here, there)
        }
    }

    private static func check(_ employee: Employee, _ here: Here, _ there: There) {
        switch (here, there) {
        case (.inserted, _): #expect(employee.isInserted && employee.name == "New")
        case (_, .delete): #expect(employee.state == .gone && employee.name == "Ann")
        case (.clean, _): #expect(employee.state == .clean && employee.name == "Bob")
        case (.dirty, _): #expect(employee.isUpdated && employee.name == "Bob" && employee.salary == 1)
        case (.deleted, _): #expect(employee.isDeleted)
        }
    }
}

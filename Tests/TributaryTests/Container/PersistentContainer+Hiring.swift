import Testing
import Tributary
import TributaryStore

extension PersistentContainer {
    @discardableResult
    func hire(_ name: String, salary: Double? = nil) async throws -> ManagedObjectID {
        try await performBackgroundTask { context in
            let employee = try context.hire(name)
            employee.salary = salary
            try context.save()
            return employee.objectID
        }
    }

    func change(_ id: ManagedObjectID, _ body: @escaping @Sendable (Employee) -> Void) async throws {
        try await performBackgroundTask { context in
            body(try context.existingObject(with: id, as: Employee.self))
            try context.save()
        }
    }

    func delete(_ id: ManagedObjectID) async throws {
        try await performBackgroundTask { context in
            context.delete(try context.existingObject(with: id))
            try context.save()
        }
    }

    var committed: [HistoryTransaction] {
        get throws { try store.read { try $0.history.transactions(after: 0, limit: .max) } }
    }

    /// The number of employees in the store, whatever the contexts have not saved.
    var storedEmployees: Int {
        get throws {
            try store.read { try $0.count(FetchQuery(entity: try #require(model.entity(named: "Employee")))) }
        }
    }
}

extension ManagedObjectContext {
    @discardableResult
    func hire(_ name: String) throws -> Employee {
        let employee = try insert(Employee.self)
        employee.name = name
        return employee
    }

    /// A new employee, a child context, and the employee as the child has it.
    func hireAboveChild(
        isSaved: Bool = false,
        mergePolicy: MergePolicy = .objectTrump
    ) throws -> (employee: Employee, child: ManagedObjectContext, copy: Employee) {
        let employee = try hire("Ann")
        if isSaved { try save() }
        let child = newChild(mergePolicy: mergePolicy)
        return (employee, child, try #require(child.object(with: employee.objectID, as: Employee.self)))
    }
}

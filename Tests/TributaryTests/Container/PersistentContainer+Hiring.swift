import Testing
import Tributary
import TributaryStore

extension PersistentContainer {
    @discardableResult
    func hire(
        _ name: String,
        salary: Double? = nil,
        _ change: @escaping @Sendable (Employee) -> Void = { _ in }
    ) async throws -> ManagedObjectID {
        try await save { context in
            let employee = try context.hire(name)
            employee.salary = salary
            change(employee)
            return employee.objectID
        }
    }

    func hire(_ names: [String]) async throws -> [ManagedObjectID] {
        try await save { context in try names.map { try context.hire($0).objectID } }
    }

    /// An employee of the view context, whom a background context has saved.
    @MainActor
    func hireIntoView(_ name: String) async throws -> Employee {
        let id = try await hire(name)
        await mergePendingChanges()
        return try viewContext.existingObject(with: id, as: Employee.self)
    }

    func change(_ id: ManagedObjectID, _ body: @escaping @Sendable (Employee) -> Void) async throws {
        try await save { body(try $0.existingObject(with: id, as: Employee.self)) }
    }

    func delete(_ id: ManagedObjectID) async throws {
        try await save { $0.delete(try $0.existingObject(with: id)) }
    }

    /// The names of the employees in the store, in order.
    func names() async throws -> [String] { try await performBackgroundTask { try $0.names() } }

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

    @discardableResult
    func hireAndSave(_ name: String) throws -> Employee {
        let employee = try hire(name)
        try save()
        return employee
    }

    func department(_ title: String?) throws -> Department {
        let department = try insert(Department.self)
        department.title = title
        return department
    }

    func project(_ title: String?) throws -> Project {
        let project = try insert(Project.self)
        project.title = title
        return project
    }

    /// The names of the employees that the context shows, in order.
    func names() throws -> [String] { try fetch(Employee.self, sortKeys: [SortKey("name")]).map(\.name) }

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

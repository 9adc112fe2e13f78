import Testing
import Tributary

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

import Tributary

extension ManagedObjectContext {
    /// A new employee of the name, not saved.
    @discardableResult
    func hire(_ name: String) throws -> Employee {
        let employee = try insert(Employee.self)
        employee.name = name
        return employee
    }
}

import Tributary

extension ManagedObjectContext {
    @discardableResult
    func hire(_ name: String) throws -> Employee {
        let employee = try insert(Employee.self)
        employee.name = name
        return employee
    }
}

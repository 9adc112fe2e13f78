import Tributary

/// Raises every salary without keeping the main actor from its work; returns how many there were.
func raiseSalaries(by factor: Double, in container: PersistentContainer) async throws -> Int {
    try await container.performBackgroundTask { context in
        let request = try FetchRequest("Employee", where: "salary != nil")
        let employees = try context.fetch(request, as: Employee.self)
        for employee in employees {
            employee.salary = employee.salary.map { $0 * factor }
        }
        try context.save()
        return employees.count
    }
}

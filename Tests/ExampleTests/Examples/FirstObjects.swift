import Tributary

/// Saves a company with an employee, and returns the names of the employees who earn more than 1,000.
@MainActor
func hireFirst(in container: PersistentContainer) throws -> [String] {
    let context = container.viewContext
    let company = try context.insert(Company.self)
    company.name = "Hats & Co"
    let ann = try context.insert(Employee.self)
    ann.name = "Ann"
    ann.salary = 1_250
    ann.company = company  // company.employees has her as well
    try context.save()

    let request = try FetchRequest<Employee>(where: "salary > %@", 1_000, sortKeys: [SortKey("name")])
    return try context.fetch(request).map(\.name)
}

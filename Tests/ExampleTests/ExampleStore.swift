import TestSupport
import Tributary

struct ExampleStore {
    static let model = PackageFolder.path("Tests/ExampleTests/Company.xcdatamodeld")

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("example")
        container = try await openCompanies(folder.path("store.sqlite"))
    }

    /// Companies with an employee each, saved at once; their IDs.
    func companies(_ names: [String], in city: String? = nil) async throws -> [ManagedObjectID] {
        try await container.performBackgroundTask { context in
            let companies = try names.map { name in
                let company = try context.insert(Company.self)
                company.name = name
                company.city = city
                let employee = try context.insert(Employee.self)
                employee.name = "\(name)'s first"
                employee.salary = 1000
                employee.company = company
                return company
            }
            try context.save()
            return companies.map(\.objectID)
        }
    }
}

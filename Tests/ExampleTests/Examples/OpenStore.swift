import Tributary

func openCompanies(_ path: String, model: String) async throws -> PersistentContainer {
    try await PersistentContainer(
        name: "companies",
        path: path,
        model: try Model(contentsOf: model),
        classes: [Company.self, Employee.self]
    )
}

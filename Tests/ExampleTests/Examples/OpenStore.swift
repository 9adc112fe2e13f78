import Tributary

func openCompanies(_ path: String) async throws -> PersistentContainer {
    try await PersistentContainer(
        name: "companies",
        path: path,
        model: try CompanyModel.model(),
        classes: CompanyModel.classes
    )
}

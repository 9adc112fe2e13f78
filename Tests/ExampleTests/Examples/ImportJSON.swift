import Foundation
import Tributary

/// Imports companies from JSON on a private child of the view context.
///
/// The view context has them when the child has saved; the store only when the view context saves.
func importCompanies(_ json: Data, into container: PersistentContainer) async throws {
    struct Item: Decodable {
        var name: String
        var city: String?
    }
    let items = try JSONDecoder().decode([Item].self, from: json)
    let importer = container.newChildOfViewContext(name: "import")
    try await importer.perform { context in
        for item in items {
            let company = try context.insert(Company.self)
            company.name = item.name
            company.city = item.city
        }
        try context.save()
    }
    try await MainActor.run { try container.viewContext.save() }
}

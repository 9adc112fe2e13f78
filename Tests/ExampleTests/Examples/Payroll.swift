import Tributary

/// The sum of the salaries of each company, the greatest first: computed by SQLite, without objects.
func payroll(of container: PersistentContainer) async throws -> [String] {
    var request = FetchRequest("Employee", sortKeys: [SortKey("total", ascending: false)])
    request.propertiesToFetch = ["company.name", .sum(of: "salary", as: "total"), .count(as: "heads")]
    request.groupBy = ["company.name"]
    request.having = try ObjectPredicate(parsing: "total > 0")
    return try await container.fetchDictionaries(request).map { group in
        let name: String = group.value("company.name") ?? "nobody"
        let total: Double = group.value("total") ?? 0
        let heads: Int64 = group.value("heads") ?? 0
        return "\(name) pays \(total) to \(heads)"
    }
}

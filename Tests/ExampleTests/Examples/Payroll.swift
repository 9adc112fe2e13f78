import Tributary

/// What each company pays its employees, the greatest sum first: computed by SQLite, no object is made.
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

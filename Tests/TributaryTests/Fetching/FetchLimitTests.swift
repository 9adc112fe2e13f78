import TestSupport
import Testing
import Tributary

/// Limits and offsets of whatever size mean the same with unsaved changes and without.
struct FetchLimitTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("limits")
        container = try await Company.open(folder)
        try await container.save { context in
            for name in ["Ann", "Bob", "Cid"] { try context.hire(name) }
        }
    }

    private static let cases: [(limit: Int?, offset: Int, names: [String])] = [
        (nil, 0, ["Ann", "Bob", "Cid"]), (.max, 0, ["Ann", "Bob", "Cid"]), (.max, 1, ["Bob", "Cid"]),
        (.max, .max, []), (2, .max, []), (1, 1, ["Bob"]), (0, 0, []), (-1, 0, []), (.min, 0, []),
        (2, -3, ["Ann", "Bob"]), (nil, -1, ["Ann", "Bob", "Cid"]), (nil, .min, ["Ann", "Bob", "Cid"]),
    ]

    @Test(arguments: [false, true])
    func everyNumberIsALimitAndAnOffset(_ isDirty: Bool) async throws {
        try await container.performBackgroundTask { context in
            if isDirty {
                for employee in try context.fetch(Employee.self) { employee.salary = 5 }
                try context.hire("Aaa")
                try context.hire("Zoe")
            }
            for (limit, offset, names) in Self.cases {
                var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
                if isDirty { request.predicate = try ObjectPredicate(parsing: "salary == 5") }
                request.fetchLimit = limit
                request.fetchOffset = offset
                let found = try context.fetch(request, as: Employee.self).map(\.name)
                #expect(found == names, "\(String(describing: limit)), \(offset)")
                #expect(try context.fetchIDs(request).count == names.count, "\(String(describing: limit)), \(offset)")
                #expect(try context.count(for: request) == names.count, "\(String(describing: limit)), \(offset)")
            }
        }
    }
}

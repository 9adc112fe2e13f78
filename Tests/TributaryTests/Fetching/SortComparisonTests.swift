import TestSupport
import Testing
import Tributary

/// Sort keys with a comparison, in SQL and in memory.
struct SortComparisonTests {
    private static let names = [
        "file10", "File2", "file1", "Äpfel", "apfel", "Apfel", "zebra", "Zebra", "äpfel", "_x", "file 1", "file02", "9",
        "10",
        "", "Ö", "o", "file2",
    ]

    private static func order(_ key: SortKey, isDirty: Bool) async throws -> [String] {
        let folder = try TemporaryFolder("sort")
        let container = try await Company.open(folder)
        defer { withExtendedLifetime(folder) {} }
        return try await container.performBackgroundTask { context in
            for name in names { try context.hire(name) }
            if !isDirty { try context.save() }
            return try context.fetch(Employee.self, sortKeys: [key]).map(\.name)
        }
    }

    @Test(arguments: SortKey.Comparison.allCases)
    func memoryAndSQLAgree(comparison: SortKey.Comparison) async throws {
        for isAscending in [true, false] {
            let key = SortKey("name", ascending: isAscending, comparison: comparison)
            let stored = try await Self.order(key, isDirty: false)
            let unsaved = try await Self.order(key, isDirty: true)
            // Names that the comparison cannot distinguish are ordered by their IDs.
            #expect(stored.map { Self.folded($0, comparison) } == unsaved.map { Self.folded($0, comparison) })
            #expect(Set(stored) == Set(Self.names))
            #expect(try SortKey.parse(key.description) == [key])
        }
    }

    private static func folded(_ name: String, _ comparison: SortKey.Comparison) -> String {
        comparison == .caseInsensitive || comparison == .localizedCaseInsensitive ? name.lowercased() : name
    }

    @Test func theOrderIsThatOfPeople() async throws {
        func order(_ comparison: SortKey.Comparison) async throws -> [String] {
            try await Self.order(SortKey("name", comparison: comparison), isDirty: false)
        }
        #expect(
            try await order(.localizedStandard) == [
                "", "_x", "9", "10", "apfel", "Apfel", "äpfel", "Äpfel", "file 1", "file1", "file02", "file2", "File2",
                "file10", "o", "Ö", "zebra", "Zebra",
            ]
        )
        #expect(
            try await order(.localized) == [
                "", "_x", "10", "9", "apfel", "Apfel", "äpfel", "Äpfel", "file 1", "file02", "file1", "file10", "file2",
                "File2", "o", "Ö", "zebra", "Zebra",
            ]
        )
        let insensitive = try await order(.caseInsensitive)
        #expect(
            insensitive.map { $0.lowercased() }
                == Self.names.map { $0.lowercased() }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        )
    }

    @Test func aPathMayHaveAComparisonAndNumbersMayNot() async throws {
        let folder = try TemporaryFolder("sort")
        let container = try await Company.open(folder)
        try await container.performBackgroundTask { context in
            for title in ["b", "A", "C"] {
                let employee = try context.hire(title)
                let department = try context.department(title)
                employee.department = department
            }
            try context.save()
            let keys = try SortKey.parse("-department.title[c],name")
            #expect(try context.fetch(Employee.self, sortKeys: keys).map(\.name) == ["C", "b", "A"])
            #expect(throws: (any Error).self) {
                try context.fetch(Employee.self, sortKeys: [SortKey("salary", comparison: .localized)])
            }
            var request = FetchRequest(
                "Employee",
                predicate: try ObjectPredicate(parsing: "projects == nil AND department.title.length == 1")
            )
            request.sortKeys = [SortKey("name", comparison: .localizedStandard)]
            #expect(try context.fetch(request, as: Employee.self).map(\.name) == ["A", "b", "C"])
        }
        #expect(throws: ObjectPredicateError.self) { try SortKey.parse("name[x]") }
        #expect(throws: ObjectPredicateError.self) { try SortKey.parse("name[]") }
    }
}

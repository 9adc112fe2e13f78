import TestSupport
import Testing
import Tributary

/// Conditions and orders that lead to objects with unsaved changes: the answer is the one that a save would give.
struct FetchOverlayTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private static let requests = [
        "department.title == 'R&D'", "department.title == 'Sales'", "department.title == NULL",
        "NOT department.title == 'R&D'", "ANY projects.title == 'Till'", "ALL projects.title == 'Till'",
        "NONE projects.title == 'Till'", "projects.@count == 0", "projects.@count == 1",
        "department.employees.@count > 1", "department.employees.@sum.salary > 15",
        "department.employees.@max.salary == 30", "SUBQUERY(projects, $p, $p.title == 'Till').@count > 0",
        "badge.number == 7", "badge == NULL", "badge != NULL", "salary > 5 AND department.title == 'R&D'",
        "ANY department.employees.name == 'Bob'", "department.employees.@avg.salary < 100",
    ]

    @Test func changesOfRelatedObjectsCount() async throws {
        try await container.performBackgroundTask { context in
            let departments = try ["R&D", "Sales", "Lab"].map { try context.department($0) }
            let projects = try ["Till", "Web"].map { try context.project($0) }
            let employees = try ["Ann", "Bob", "Cid", "Dan", "Eve"].enumerated().map { index, name in
                let employee = try context.hire(name)
                employee.salary = Double(index) * 10
                employee.department = index == 4 ? nil : departments[index % 3]
                employee.projects = index == 3 ? [] : [projects[index % 2]]
                return employee
            }
            let badge = try context.insert(Badge.self)
            badge.number = 7
            badge.owner = employees[0]
            try context.save()
            let changes: [() throws -> Void] = [
                { departments[1].title = "R&D" },
                { projects[1].title = "Till" },
                { badge.owner = employees[2] },
                { badge.number = 8 },
                { departments[2].employees = [employees[0], employees[4]] },
                { projects[0].members = [employees[3]] },
                { employees[3].salary = 100 },
                { context.delete(departments[0]) },
                { context.delete(projects[1]) },
                { context.delete(badge) },
            ]
            for (step, change) in changes.enumerated() {
                try change()
                let requests = try FetchOverlayTests.requests.map { text in
                    try FetchRequest("Employee", where: text, sortKeys: [SortKey("department.title"), SortKey("name")])
                }
                let before = try requests.map { try context.fetchIDs($0) }
                let counts = try requests.map { try context.count(for: $0) }
                var slice = requests[0]
                slice.fetchOffset = 1
                slice.fetchLimit = 1
                let part = try context.fetchIDs(slice)
                try context.save()
                for (index, request) in requests.enumerated() {
                    let text = FetchOverlayTests.requests[index]
                    #expect(try context.fetchIDs(request) == before[index], "\(text) after change \(step)")
                    #expect(counts[index] == before[index].count)
                }
                #expect(part == Array(before[0].dropFirst().prefix(1)))
            }
        }
    }
}

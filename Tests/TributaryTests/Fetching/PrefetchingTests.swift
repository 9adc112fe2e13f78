import TestSupport
import Testing

@testable import Tributary

/// Relationships that are read along with a fetch: a number of queries that does not grow with the objects.
@MainActor
struct PrefetchingTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }
    let statements = StatementCounter()

    init() async throws { (folder, container) = try await Company.open(.memory, sqlLog: statements.log) }

    /// Departments with employees, each with projects of the department and a badge.
    private func fill(_ departments: Int, _ employees: Int) async throws {
        try await container.save { context in
            for number in 0..<departments {
                let department = try context.department("D\(number)")
                let project = try context.project("P\(number)")
                for index in 0..<employees {
                    let employee = try context.hire("E\(number).\(index)")
                    employee.department = department
                    employee.projects = [project]
                    let badge = try context.insert(Badge.self)
                    badge.number = Int64(index)
                    badge.owner = employee
                }
            }
        }
        await container.mergePendingChanges()
    }

    nonisolated private static var request: FetchRequest<ManagedObject> {
        var request = FetchRequest("Department", sortKeys: [SortKey("title")])
        request.prefetchedKeyPaths = ["employees.projects.members.badge"]
        return request
    }

    /// Everything that the path leads to.
    nonisolated private static func walk(_ departments: [Department]) -> [Int64] {
        departments.flatMap(\.employees).flatMap(\.projects).flatMap(\.members).compactMap { $0.badge?.number }
    }

    @Test func laterToManyStepsTakeAConstantNumberOfStatements() async throws {
        var counts: [Int] = []
        for (departments, employees) in [(2, 3), (5, 8)] {
            try await fill(departments, employees)
            container.viewContext.reset()
            statements.reset()
            let found = try container.viewContext.fetch(PrefetchingTests.request, as: Department.self)
            counts.append(statements.count)
            statements.reset()
            #expect(
                PrefetchingTests.walk(found).count == found.reduce(0) { $0 + $1.employees.count * $1.employees.count }
            )
            #expect(statements.count == 0)
        }
        #expect(counts[0] == counts[1])
        // The fetch, and one a step.
        #expect(counts[0] == 5)
    }

    @Test func aContextThatReadsTheNewestPrefetchesAsWell() async throws {
        try await fill(3, 4)
        let statements = statements
        try await container.performBackgroundTask { context in
            let found = try context.fetch(PrefetchingTests.request, as: Department.self)
            statements.reset()
            #expect(PrefetchingTests.walk(found).count == 3 * 4 * 4)
            #expect(statements.count == 0)
        }
    }

    @Test func withoutPrefetchingEachObjectIsRead() async throws {
        try await fill(2, 3)
        var plain = PrefetchingTests.request
        plain.prefetchedKeyPaths = []
        let found = try container.viewContext.fetch(plain, as: Department.self)
        statements.reset()
        #expect(PrefetchingTests.walk(found).count == 18)
        #expect(statements.count > 10)
    }

    @Test func toOneStepsLeadOn() async throws {
        try await fill(4, 5)
        var request = FetchRequest("Badge")
        request.prefetchedKeyPaths = ["owner.department", "owner.projects"]
        let badges = try container.viewContext.fetch(request, as: Badge.self)
        #expect(badges.count == 20)
        statements.reset()
        let titles = badges.compactMap { $0.owner?.department?.title }
        let projects = badges.flatMap { $0.owner?.projects.compactMap(\.title) ?? [] }
        #expect(statements.count == 0)
        #expect(titles.count == 20 && Set(titles).count == 4)
        #expect(projects.count == 20 && Set(projects).count == 4)
    }

    @Test func unsavedLinksArePrefetchedAsTheContextShowsThem() async throws {
        try await fill(2, 2)
        let departments = try view.fetch(Department.self, sortKeys: [SortKey("title")])
        let moved = try #require(departments[0].employees.first { $0.name == "E0.0" })
        moved.department = departments[1]
        let new = try view.hire("New")
        new.department = departments[0]
        new.projects = try view.fetch(Project.self, sortKeys: [SortKey("title")])
        let found = try view.fetch(PrefetchingTests.request, as: Department.self)
        statements.reset()
        #expect(found[0].employees.map(\.name).sorted() == ["E0.1", "New"])
        #expect(found[1].employees.count == 3)
        #expect(new.projects.flatMap(\.members).compactMap { $0.badge?.number }.count == 4)
        #expect(PrefetchingTests.walk(found).count > 0)
        #expect(statements.count == 0)
        let before = PrefetchingTests.walk(found).sorted()
        try view.save()
        view.reset()
        let again = try view.fetch(FetchRequest("Department", sortKeys: [SortKey("title")]), as: Department.self)
        #expect(PrefetchingTests.walk(again).sorted() == before)
    }

    @Test func aChildPrefetchesWhatItsParentShows() async throws {
        try await fill(2, 2)
        let departments = try view.fetch(Department.self, sortKeys: [SortKey("title")])
        let employee = try #require(departments[0].employees.first { $0.name == "E0.0" })
        employee.name = "Edited"
        employee.department = departments[1]
        try view.hire("New").department = departments[0]
        let child = view.newChild()
        let found = try child.fetch(PrefetchingTests.request, as: Department.self)
        statements.reset()
        #expect(found[0].employees.map(\.name).sorted() == ["E0.1", "New"])
        #expect(found[1].employees.map(\.name).sorted() == ["E1.0", "E1.1", "Edited"])
        #expect(statements.count == 0)
    }

    @Test func aMergeEndsWhatWasReadAhead() async throws {
        try await fill(1, 2)
        let found = try view.fetch(PrefetchingTests.request, as: Department.self)
        try await container.save { context in
            let department = try #require(try context.fetch(Department.self).first)
            try context.hire("Late").department = department
        }
        #expect(found[0].employees.count == 2)
        await container.mergePendingChanges()
        #expect(found[0].employees.count == 3)
        #expect(found[0].employees.contains { $0.name == "Late" })
    }

    @Test func aPathThatIsNoRelationshipIsAnError() throws {
        var request = FetchRequest("Employee")
        request.prefetchedKeyPaths = ["department.boss"]
        #expect(throws: ContextError.unknownProperty(entity: "Department", property: "boss")) {
            try view.fetch(request)
        }
        request.prefetchedKeyPaths = ["name"]
        #expect(throws: ContextError.self) { try view.fetch(request) }
    }
}

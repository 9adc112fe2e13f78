import TestSupport
import Testing

@testable import Tributary

/// Results that are values and no objects: properties, aggregates, groups.
@MainActor
struct DictionaryFetchTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let statements = StatementCounter()

    init() async throws {
        folder = try TemporaryFolder("dictionaries")
        container = try await Company.open(.memory, in: folder, sqlLog: statements.log)
        try await container.save { context in
            let departments = try ["Lab", "Sales"].map { try context.department($0) }
            for (index, name) in ["Ann", "Bob", "Cid", "Dan", "Eve"].enumerated() {
                let employee = try context.insert(index == 3 ? Foreman.self : Employee.self)
                employee.name = name
                employee.salary = index == 4 ? nil : Double(index + 1) * 10
                employee.age = Int16(30 + index % 2)
                employee.department = index == 4 ? nil : departments[index % 2]
            }
        }
        try await container.settled()
    }

    private var view: ManagedObjectContext { container.viewContext }

    private var byDepartment: FetchRequest<ManagedObject> {
        var request = FetchRequest("Employee", sortKeys: [SortKey("department.title")])
        request.propertiesToFetch = [
            "department.title", .count(), .sum(of: "salary", as: "total"), .min(of: "name", as: "first"),
            .max(of: "salary", as: "most"), .average(of: "salary", as: "mean"), .count(of: "salary", as: "paid"),
        ]
        request.groupBy = ["department.title"]
        return request
    }

    @Test func plainPropertiesAndPathsThroughToOneRelationships() throws {
        var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
        request.propertiesToFetch = ["name", FetchedProperty("department.title", as: "where")]
        let results = try view.fetchDictionaries(request)
        #expect(results.map { $0["name"] } == ["Ann", "Bob", "Cid", "Dan", "Eve"].map { .string($0) })
        #expect(results.map { $0.value("where", as: String.self) } == ["Lab", "Sales", "Lab", "Sales", nil])
        #expect(results[0].values.count == 2)
        #expect(results[4]["where"] == .null)
        #expect(results[0].value("name", as: Int.self) == nil)
    }

    @Test func withoutPropertiesEverythingThatHasOneValueComes() throws {
        let results = try view.fetchDictionaries(FetchRequest("Employee", sortKeys: [SortKey("name")]))
        #expect(Set(results[0].values.keys) == ["name", "salary", "age", "code", "visits", "department", "badge"])
        let ann = try #require(try view.fetch(Employee.self, sortKeys: [SortKey("name")]).first)
        #expect(results[0].objectID("department") == ann.department?.objectID)
        #expect(results[0].value("salary") == 10.0)
        #expect(results[0].value("age", as: Int16.self) == 30)
        #expect(results[4].objectID("department") == nil)
    }

    @Test func aggregatesOfGroups() throws {
        let results = try view.fetchDictionaries(byDepartment)
        #expect(results.map { $0["department.title"] } == [.null, .string("Lab"), .string("Sales")])
        #expect(results.map { $0.value("count", as: Int.self) } == [1, 2, 2])
        #expect(results.map { $0.value("total", as: Double.self) } == [0, 40, 60])
        #expect(results.map { $0.value("first", as: String.self) } == ["Eve", "Ann", "Bob"])
        #expect(results.map { $0.value("most", as: Double.self) } == [nil, 30, 40])
        #expect(results.map { $0.value("mean", as: Double.self) } == [nil, 20, 30])
        #expect(results.map { $0.value("paid", as: Int.self) } == [0, 2, 2])
    }

    @Test func withoutAGroupAllObjectsAreOne() throws {
        var request = try FetchRequest("Employee", where: "salary > %d", [15])
        request.propertiesToFetch = [.count(), .sum(of: "salary", as: "total"), .max(of: "age", as: "oldest")]
        let results = try view.fetchDictionaries(request)
        #expect(results.count == 1)
        #expect(results[0].value("count") == 3 && results[0].value("total") == 90.0)
        request.predicate = try ObjectPredicate(parsing: "salary > 1000")
        let none = try view.fetchDictionaries(request)
        #expect(none.count == 1)
        #expect(none[0].value("count") == 0 && none[0].value("total") == 0.0 && none[0]["oldest"] == .null)
    }

    @Test func havingKeepsSomeGroups() throws {
        var request = byDepartment
        request.having = try ObjectPredicate(parsing: "total >= 40 AND department.title BEGINSWITH 'S'")
        #expect(try view.fetchDictionaries(request).map { $0["department.title"] } == [.string("Sales")])
        request.having = try ObjectPredicate(parsing: "department.title == NULL OR mean < 25")
        #expect(try view.fetchDictionaries(request).map { $0["first"] } == [.string("Eve"), .string("Ann")])
        request.having = try ObjectPredicate(parsing: "count > 1")
        request.fetchOffset = 1
        request.fetchLimit = 5
        #expect(try view.fetchDictionaries(request).map { $0["first"] } == [.string("Bob")])
        request.having = try ObjectPredicate(parsing: "unknown > 1")
        #expect(throws: ObjectPredicateError.self) { try view.fetchDictionaries(request) }
    }

    @Test func groupsByARelationshipHaveItsID() throws {
        var request = FetchRequest("Employee", sortKeys: [SortKey("count", ascending: false)])
        request.propertiesToFetch = ["department", .count()]
        request.groupBy = ["department"]
        request.having = try ObjectPredicate(parsing: "department != NULL")
        let results = try view.fetchDictionaries(request)
        let departments = try view.fetchIDs(FetchRequest("Department"))
        #expect(Set(results.compactMap { $0.objectID("department") }) == Set(departments))
        #expect(results.allSatisfy { $0.value("count") == 2 })
        // What the results are grouped by orders them, also when they do not have it.
        request.propertiesToFetch = [.count()]
        request.having = try ObjectPredicate(parsing: "count > 1")
        request.sortKeys = [SortKey("department")]
        #expect(try view.fetchDictionaries(request).map { $0.value("count") } == [2, 2])
    }

    @Test func equalResultsComeOnceWhenAsked() throws {
        var request = FetchRequest("Employee", sortKeys: [SortKey("age", ascending: false)])
        request.propertiesToFetch = ["age"]
        #expect(try view.fetchDictionaries(request).count == 5)
        request.returnsDistinctResults = true
        #expect(try view.fetchDictionaries(request).map { $0["age"] } == [.integer(31), .integer(30)])
        request.fetchLimit = 1
        #expect(try view.fetchDictionaries(request).map { $0["age"] } == [.integer(31)])
    }

    @Test func resultsAreSortedByAggregatesAndCut() throws {
        var request = byDepartment
        request.sortKeys = [SortKey("count", ascending: false), SortKey("total")]
        request.fetchLimit = 2
        #expect(try view.fetchDictionaries(request).map { $0["first"] } == [.string("Ann"), .string("Bob")])
        request.fetchOffset = 2
        #expect(try view.fetchDictionaries(request).map { $0["first"] } == [.string("Eve")])
    }

    @Test func subentitiesCountUnlessTheyAreLeftOut() throws {
        var request = FetchRequest("Employee")
        request.propertiesToFetch = [.count()]
        #expect(try view.fetchDictionaries(request)[0].value("count") == 5)
        request.includesSubentities = false
        #expect(try view.fetchDictionaries(request)[0].value("count") == 4)
        var names = FetchRequest("Employee")
        names.propertiesToFetch = ["entity.name", .count()]
        names.groupBy = ["entity.name"]
        let found = try view.fetchDictionaries(names).map { $0.value("entity.name", as: String.self) }
        #expect(found == ["Employee", "Foreman"])
    }

    @Test func unsavedChangesCountWhenAsked() throws {
        let employees = try view.fetch(Employee.self, sortKeys: [SortKey("name")])
        employees[0].salary = 100
        employees[1].department = employees[0].department
        view.delete(employees[3])
        try view.hire("Aaa").salary = 1
        var request = byDepartment
        let overlaid = try view.fetchDictionaries(request)
        #expect(overlaid.map { $0.value("count", as: Int.self) } == [2, 3])
        #expect(overlaid.map { $0.value("total", as: Double.self) } == [1, 150])
        request.includesPendingChanges = false
        #expect(try view.fetchDictionaries(request).map { $0.value("count", as: Int.self) } == [1, 2, 2])
        // A child sees what its parent has not saved.
        let child = view.newChild()
        request.includesPendingChanges = true
        #expect(try child.fetchDictionaries(request) == overlaid)
        try view.save()
        #expect(try view.fetchDictionaries(request) == overlaid)
    }

    @Test func withoutUnsavedChangesItIsOneStatement() throws {
        statements.reset()
        _ = try view.fetchDictionaries(byDepartment)
        #expect(statements.count == 1)
        #expect(view.registeredObjects.isEmpty)
    }

    @Test func theViewContextsGenerationAnswers() async throws {
        try await container.hire("Fay")
        var request = FetchRequest("Employee")
        request.propertiesToFetch = [.count()]
        #expect(try view.fetchDictionaries(request)[0].value("count") == 5)
        #expect(try await container.fetchDictionaries(request)[0].value("count") == 5)
        let newest = try await container.performBackgroundTask { [request] in try $0.fetchDictionaries(request) }
        #expect(newest[0].value("count") == 6)
        await container.mergePendingChanges()
        #expect(try await container.fetchDictionaries(request)[0].value("count") == 6)
    }

    @Test func meaninglessRequestsAreErrors() throws {
        func fails(_ change: (inout FetchRequest<ManagedObject>) -> Void) -> Bool {
            var request = byDepartment
            change(&request)
            do {
                _ = try view.fetchDictionaries(request)
                return false
            } catch { return error is ObjectPredicateError }
        }
        #expect(fails { $0.propertiesToFetch.append("name") })
        #expect(fails { $0.propertiesToFetch.append(.sum(of: "name", as: "sum")) })
        #expect(fails { $0.propertiesToFetch.append(.count()) })
        #expect(fails { $0.propertiesToFetch.append(.max(of: "projects.title", as: "last")) })
        #expect(fails { $0.groupBy.append("nowhere") })
        #expect(fails { $0.sortKeys = [SortKey("name")] })
        #expect(
            fails { request in
                request.returnsDistinctResults = true
                request.propertiesToFetch = [.count()]
            }
        )
        #expect(throws: ContextError.unknownEntity("Nobody")) { try view.fetchDictionaries(FetchRequest("Nobody")) }
    }
}

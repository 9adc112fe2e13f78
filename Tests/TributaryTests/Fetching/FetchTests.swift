import Foundation
import TestSupport
import Testing
import Tributary

/// Fetches with unsaved changes, and objects by their class.
struct FetchTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func ownChangesCountAsIfTheyWereSaved() async throws {
        try await container.performBackgroundTask { context in
            for name in ["Ann", "Bob", "Cid", "Dan"] {
                try context.hire(name).salary = 10
            }
            try context.save()
            let all = try context.fetch(Employee.self, sortKeys: [SortKey("name")])
            #expect(all.map(\.name) == ["Ann", "Bob", "Cid", "Dan"])
            all[0].salary = 1
            all[1].name = "Zoe"
            context.delete(all[2])
            try context.hire("Bea").salary = 20
            var request = try FetchRequest("Employee", where: "salary >= %d", [10], sortKeys: [SortKey("name")])
            let found = try context.fetch(request, as: Employee.self)
            #expect(found.map(\.name) == ["Bea", "Dan", "Zoe"])
            #expect(try context.count(for: request) == 3)
            #expect(try context.fetchIDs(request) == found.map(\.objectID))
            request.fetchOffset = 1
            request.fetchLimit = 1
            #expect(try context.fetch(request, as: Employee.self).map(\.name) == ["Dan"])
            request.fetchOffset = 0
            request.fetchLimit = nil
            request.includesPendingChanges = false
            #expect(try context.fetchIDs(request).count == 4)
        }
    }

    @Test func anUnsavedOrderIsTheStoresOrder() async throws {
        var generator = SeededGenerator.printingSeed()
        let names = (0..<60).map { _ in ["a", "A", "é", "z", "", "aa"].randomElement(using: &generator) ?? "" }
        let dirty = names.map { _ in Bool.random(using: &generator) }
        try await container.performBackgroundTask { context in
            for name in names { try context.hire(name) }
            try context.save()
            for (employee, isDirty) in zip(try context.fetch(Employee.self), dirty) where isDirty {
                employee.salary = 1
            }
            let request = FetchRequest("Employee", sortKeys: [SortKey("name"), SortKey("age", ascending: false)])
            let before = try context.fetchIDs(request)
            try context.save()
            #expect(try context.fetchIDs(request) == before)
        }
    }

    @Test func keyPathsLeadThroughUnsavedObjects() async throws {
        try await container.performBackgroundTask { context in
            let department = try context.department("R&D")
            let employee = try context.hire("Ann")
            employee.department = department
            let request = try FetchRequest("Employee", where: "department.title BEGINSWITH %@", ["R"])
            #expect(try context.fetch(request) == [employee])
            try context.save()
            #expect(try context.fetch(request) == [employee])
        }
    }

    @Test func aBadPredicateIsAnError() async throws {
        await container.performBackgroundTask { context in
            #expect(throws: ObjectPredicateError.self) { try FetchRequest("Employee", where: "name ==") }
            _ = context.hasChanges
        }
    }

    @Test func aRequestOfAClassTakesAnyValuesAndReturnsItsObjects() async throws {
        try await container.performBackgroundTask { context in
            let (names, lowest, since): ([String], Double, Int?) = (["Ann", "Bob"], 1, nil)
            for (name, salary) in zip(["Ann", "Bob", "Cy"], [1.0, 2, 3]) { try context.hire(name).salary = salary }
            try context.save()
            var request = try FetchRequest<Employee>(
                where: "name IN %@ AND salary >= %@ AND code == %@",
                names,
                lowest,
                since,
                sortKeys: [Employee.keys.name.descending]
            )
            let found: [Employee] = try context.fetch(request)
            #expect(found.map(\.name) == ["Bob", "Ann"])
            #expect(try context.count(for: request) == 2)
            request.fetchLimit = 1
            #expect(try context.fetchBatches(request, as: Employee.self).map(\.name) == ["Bob"])
            let named = try FetchRequest("Employee", where: "name IN %@ AND salary > %@", names, lowest)
            #expect(try context.fetchIDs(named) == [found[0].objectID])
            let all = try FetchedResultsController(FetchRequest<Employee>(), context: context)
            #expect(Set(all.fetchedObjects.map(\.name)) == ["Ann", "Bob", "Cy"])
        }
    }

    // MARK: Conditions and orders that lead to objects with unsaved changes

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
                let requests = try Self.requests.map { text in
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
                    let text = Self.requests[index]
                    #expect(try context.fetchIDs(request) == before[index], "\(text) after change \(step)")
                    #expect(counts[index] == before[index].count)
                }
                #expect(part == Array(before[0].dropFirst().prefix(1)))
            }
        }
    }

    // MARK: The class of an object

    @Test func anExistingObjectIsOfTheClassThatIsAskedFor() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.hire("Ann")
            let foreman = try context.insert(Foreman.self)
            foreman.name = "Bob"
            try context.save()
            #expect(try context.existingObject(with: employee.objectID, as: Employee.self).name == "Ann")
            #expect(try context.existingObject(with: foreman.objectID, as: Employee.self) === foreman)
            #expect(throws: ContextError.wrongKind(entity: "Employee", property: "class", expected: "Foreman")) {
                try context.existingObject(with: employee.objectID, as: Foreman.self)
            }
            #expect(throws: ContextError.self) { try context.existingObject(with: employee.objectID, as: Badge.self) }
            context.delete(employee)
            #expect(throws: ContextError.notFound(employee.objectID)) {
                try context.existingObject(with: employee.objectID, as: Employee.self)
            }
        }
    }

    @Test func aCountOfAClassCountsWhatAFetchOfItFinds() async throws {
        try await container.performBackgroundTask { context in
            for age in [20, 30, 40] as [Int16] {
                try context.hire("Ann").age = age
            }
            try context.insert(Foreman.self).name = "Bob"
            let adults = try ObjectPredicate(parsing: "age >= 30")
            #expect(try context.count(of: Employee.self) == 4)
            #expect(try context.count(of: Employee.self, where: adults) == 3)
            #expect(try context.count(of: Foreman.self) == 1)
            #expect(
                try context.count(of: Employee.self, where: adults)
                    == context.fetch(Employee.self, predicate: adults).count
            )
            try context.save()
            #expect(throws: ObjectPredicateError.self) {
                try context.count(of: Employee.self, where: ObjectPredicate(parsing: "nme == 'x'"))
            }
        }
        await container.mergePendingChanges()
        #expect(try await container.count(of: Employee.self) == 4)
        #expect(try await container.count(of: Employee.self, where: ObjectPredicate(parsing: "age < 30")) == 1)
    }

    @Test func aRequestTakesATypedPredicate() async throws {
        try await container.performBackgroundTask { context in
            for (index, name) in ["Ann", "Bob", "Cid"].enumerated() { try context.hire(name).salary = Double(index) }
            let sortKeys = [Employee.keys.name.descending]
            let keys = FetchRequest<Employee>(where: Employee.keys.salary >= 1, sortKeys: sortKeys)
            #expect(try context.fetch(keys).map(\.name) == ["Cid", "Bob"])
            let named = FetchRequest("Employee", where: Employee.keys.salary < 1)
            #expect(try context.fetch(named, as: Employee.self).map(\.name) == ["Ann"])
            let macro = try FetchRequest(where: #Predicate<Employee> { $0.name != "Bob" }, sortKeys: sortKeys)
            #expect(try context.fetch(macro).map(\.name) == ["Cid", "Ann"])
            let text = try FetchRequest<Employee>(where: "name = %@", "Bob")
            #expect(try context.fetch(text).count == 1)
        }
    }

    /// Objects have no order; that of their identifiers means nothing to people.
    @Test(arguments: ["department", "badge"])
    func aSortByARelationshipIsRefused(_ keyPath: String) async throws {
        let container = container
        try await container.performBackgroundTask { context in
            try context.hire("Ann")
            var request = FetchRequest("Employee", sortKeys: [SortKey(keyPath)])
            func refusal(_ body: () throws -> Void) -> String {
                do {
                    try body()
                    return "accepted"
                } catch {
                    return "\(error)"
                }
            }
            let unsaved = refusal { _ = try context.fetch(request, as: Employee.self) }
            #expect(unsaved.contains("'\(keyPath)' is a relationship") && unsaved.contains("such as '\(keyPath)."))
            try context.save()
            #expect(refusal { _ = try context.fetch(request, as: Employee.self) } == unsaved)
            #expect(refusal { _ = try context.fetchIDs(request) } == unsaved)
            #expect(
                refusal { _ = try FetchedResultsController<Employee>(request, as: Employee.self, context: context) }
                    == unsaved
            )
            // Dictionaries may be grouped by a relationship, and then have one order.
            request.sortKeys = []
            request.groupBy = ["department"]
            request.propertiesToFetch = ["department", .count(as: "heads")]
            #expect(try context.fetchDictionaries(request).count == 1)
        }
    }
}

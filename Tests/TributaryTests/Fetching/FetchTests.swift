import TestSupport
import Testing
import Tributary

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
}

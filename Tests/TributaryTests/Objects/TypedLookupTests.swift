import TestSupport
import Testing
import Tributary

struct TypedLookupTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

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
}

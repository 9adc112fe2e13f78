import Foundation
import TestSupport
import Testing
import Tributary

/// Predicates asked of one object or of one snapshot, and Swift values as their arguments.
struct PredicateEvaluationTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private static func hire(_ context: ManagedObjectContext, _ name: String, age: Int16) throws -> Employee {
        let employee = try context.hire(name)
        employee.age = age
        return employee
    }

    @Test func anObjectIsAskedAsItIsNow() async throws {
        try await container.performBackgroundTask { context in
            let ann = try Self.hire(context, "Ann", age: 30)
            let department = try context.department("R&D")
            ann.department = department
            let isOld = try ObjectPredicate(parsing: "age > 40 AND department.title == 'R&D'")
            #expect(try !isOld.evaluate(with: ann))
            ann.age = 41
            #expect(try isOld.evaluate(with: ann))
            try context.save()
            context.refresh(ann, mergeChanges: false)
            #expect(ann.isFault)
            #expect(try isOld.evaluate(with: ann))
            #expect(try ObjectPredicate(parsing: "SELF == %@", ann).evaluate(with: ann))
            #expect(try ObjectPredicate(parsing: "ANY employees.age > 40").evaluate(with: department))
            #expect(try ObjectPredicate(parsing: "now() > CAST(0, 'NSDate')").evaluate(with: ann))
            #expect(throws: ObjectPredicateError.self) {
                try ObjectPredicate(parsing: "title == 'x'").evaluate(with: ann)
            }
            context.delete(ann)
            try context.save()
            #expect(throws: ContextError.notFound(ann.objectID)) { try isOld.evaluate(with: ann) }
        }
    }

    @Test func aSnapshotAnswersAsItsObjectDoes() async throws {
        let model = container.model
        try await container.performBackgroundTask { context in
            let ann = try Self.hire(context, "Ann", age: 30)
            ann.department = try context.insert(Department.self)
            let snapshot = ann.snapshot()
            let texts = [
                "age == 30", "age > 30", "name LIKE[c] 'a*'", "salary == NULL", "department != NULL",
                "entity == 'Employee'", "name.length == 3", "age + 1 BETWEEN {31, 32}", "NOT (name IN {'Bob'})",
            ]
            for text in texts {
                let predicate = try ObjectPredicate(parsing: text)
                let expected = try predicate.evaluate(with: ann)
                #expect(try predicate.evaluate(with: snapshot, in: model) == expected, "\(text)")
                #expect(try predicate.evaluate(with: snapshot, in: context.container ?? container) == expected)
            }
            let isThere = try ObjectPredicate(parsing: "department == %@ AND SELF == %@", ann.department, ann.objectID)
            #expect(try isThere.evaluate(with: snapshot, in: model))
        }
    }

    @Test func keyPathsThatASnapshotDoesNotHaveAreErrors() async throws {
        let model = container.model
        try await container.performBackgroundTask { context in
            let ann = try Self.hire(context, "Ann", age: 30)
            let part = ann.snapshot(include: ["name"])
            func answer(_ text: String) throws -> Bool {
                try ObjectPredicate(parsing: text).evaluate(with: part, in: model)
            }
            #expect(try answer("name == 'Ann'"))
            for text in ["age == 30", "name == 'Bob' OR age == 30", "department.title == 'x'", "projects.@count == 0"] {
                #expect(throws: ObjectPredicateError.self, "\(text)") { try answer(text) }
            }
            #expect(throws: ObjectPredicateError.self) { try answer("now() > CAST(0, 'NSDate')") }
            let late = try ObjectPredicate(parsing: "now() > CAST(0, 'NSDate') AND name == 'Ann'")
            #expect(try late.evaluate(with: part, in: try #require(context.container)))
            let other = ObjectSnapshot(id: ManagedObjectID("Ghost", ann.uniqueID, store: "s"), values: [:])
            #expect(throws: ContextError.unknownEntity("Ghost")) {
                try ObjectPredicate(parsing: "TRUEPREDICATE").evaluate(with: other, in: model)
            }
        }
    }

    @Test func swiftValuesAreArgumentsOfAFetch() async throws {
        try await container.performBackgroundTask { context in
            let people = try [("Ann", 20), ("Bob", 30), ("Cleo", 40)].map { try Self.hire(context, $0.0, age: $0.1) }
            let department = try context.insert(Department.self)
            people[0].department = department
            people[0].salary = 1.5
            try context.save()
            func names(_ text: String, _ arguments: PredicateArgument...) throws -> [String] {
                let request = try FetchRequest("Employee", where: text, arguments, sortKeys: [SortKey("name")])
                return try context.fetch(request, as: Employee.self).map(\.name)
            }
            let (lowest, wanted, ages, pay): (UInt8, Set<String>, [Int], Float) = (30, ["Ann", "Cleo"], [20, 40], 1.5)
            #expect(try names("age >= %d", .init(lowest)) == ["Bob", "Cleo"])
            #expect(try names("name IN %@", .init(wanted)) == ["Ann", "Cleo"])
            #expect(try names("age BETWEEN %@", .init(ages)) == ["Ann", "Bob", "Cleo"])
            #expect(try names("age IN %@", [20, .init(lowest)]) == ["Ann", "Bob"])
            #expect(try names("salary == %f", .init(pay)) == ["Ann"])
            #expect(try names("SELF IN %@", .init(Array(people.prefix(2)))) == ["Ann", "Bob"])
            #expect(try names("SELF IN %@", .init(people.map(\.objectID))) == ["Ann", "Bob", "Cleo"])
            #expect(try names("department == %@", .init(department)) == ["Ann"])
            #expect(try names("department == %@", .init(Optional<Department>.none)) == ["Bob", "Cleo"])
            #expect(try names("visits < %llu", .init(UInt64.max)) == ["Ann", "Bob", "Cleo"])
            #expect(try names("age < %@", .init(Decimal(25))) == ["Ann"])
        }
    }
}

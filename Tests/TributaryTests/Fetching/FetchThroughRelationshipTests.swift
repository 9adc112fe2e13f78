import TestSupport
import Testing

@testable import Tributary

/// Fetches with conditions on a to-one relationship, one for each object: which unsaved objects they visit.
struct FetchThroughRelationshipTests {
    private static let count = 1_000
    private static let departments = 100

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open(.memory) }

    /// Unsaved employees, ten in each of unsaved departments.
    private static func fill(_ context: ManagedObjectContext) throws -> [Department] {
        let all = try (0..<departments).map { try context.department("d\($0)") }
        for number in 0..<count {
            try context.hire("n\(number)").department = all[number % departments]
        }
        // Conditions on departments depend on what is unsaved from now on.
        context.delete(try context.insert(Department.self))
        return all
    }

    /// Asks for the employees of each department in turn, and for one of them.
    private static func lookUp(_ condition: String, in context: ManagedObjectContext, _ all: [ManagedObjectID]) throws {
        for (number, department) in all.enumerated() {
            var arguments: [PredicateArgument] = []
            if condition.contains("name ==") { arguments.append(.string("n\(number)")) }
            if condition.contains("title") {
                arguments.append(.string("d\(number)"))
            } else {
                arguments.append(.object(department))
            }
            let request = try FetchRequest("Employee", where: condition, arguments)
            let found = try context.fetch(request, as: Employee.self)
            let expected = condition.contains("name ==") ? 1 : count / departments
            #expect(found.count == expected && found.allSatisfy { $0.department?.objectID == department }, "\(number)")
            #expect(try context.count(for: request) == expected)
        }
    }

    private static let conditions = [
        "department == %@", "name == %@ AND department == %@", "name == %@ AND department.title == %@",
        "age == 30 AND department == %@",
    ]

    @Test(arguments: conditions)
    func aContextVisitsWhatMatchesHoweverMuchIsUnsaved(_ condition: String) async throws {
        try await container.performBackgroundTask { context in
            let all = try Self.fill(context).map(\.objectID)
            try Self.lookUp(condition, in: context, all)
            #expect(context.pending.list.visited == 0)
            // Each object is taken into an index of employees and one of departments; each look-up visits what it
            // finds.
            #expect(context.pending.list.keys.visited < 8 * Self.count, "\(context.pending.list.keys.visited)")
        }
    }

    @Test(arguments: conditions) func aChildDoesToo(_ condition: String) async throws {
        try await container.performBackgroundTask { context in
            let all = try Self.fill(context)
            let child = context.newChild().newChild()
            try Self.lookUp(condition, in: child, all.map(\.objectID))
            #expect(context.pending.list.visited == 0)
            #expect(context.pending.list.keys.visited < 8 * Self.count, "\(context.pending.list.keys.visited)")
        }
    }

    @Test(arguments: conditions) func aChildOnItsOwnQueueDoesToo(_ condition: String) async throws {
        let parent = container.newBackgroundContext()
        let all = try await parent.perform { context in try Self.fill(context).map(\.objectID) }
        try await parent.newChild().perform { context in
            try Self.lookUp(condition, in: context, all)
            let source = try #require(context.above as? StagedSource)
            #expect(source.keys.visited <= Self.count + Self.departments, "\(source.keys.visited)")
        }
    }

    @Test func theRelationshipCountsThatAnObjectHasNow() async throws {
        try await container.performBackgroundTask { context in
            let all = try Self.fill(context)
            let (first, second) = (all[0], all[1])
            func count(_ department: Department) throws -> Int {
                try context.count(
                    for: FetchRequest("Employee", where: "department == %@", [.object(department.objectID)])
                )
            }
            func count(titled title: String) throws -> Int {
                try context.count(for: FetchRequest("Employee", where: "department.title == %@", [.string(title)]))
            }
            #expect(try count(first) == 10 && count(second) == 10 && count(titled: "d0") == 10)
            first.employees.first?.department = second
            #expect(try count(first) == 9 && count(second) == 11 && count(titled: "d0") == 9)
            second.title = "d0"
            let counts = try [count(titled: "d0"), count(titled: "d1")]
            #expect(counts == [20, 0])
            context.delete(first)
            #expect(try count(first) == 0 && count(titled: "d0") == 11)
            try context.save()
            #expect(try count(second) == 11 && count(titled: "d0") == 11)
            for employee in try context.fetch(Employee.self) { employee.visits = 1 }
            context.delete(second)
            #expect(try count(second) == 0 && count(titled: "d0") == 0)
            context.rollback()
            #expect(try count(second) == 11 && count(titled: "d0") == 11)
        }
    }
}

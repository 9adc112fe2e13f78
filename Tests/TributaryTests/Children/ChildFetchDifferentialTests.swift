import TestSupport
import Testing

@testable import Tributary

/// Fetches of children and grandchildren against two other answers: the condition evaluated on every object that the
/// context shows, and the store's own after all have saved.
struct ChildFetchDifferentialTests {
    /// Through to-one, to-many, many-to-many and one-to-one relationships, and of the object alone.
    private static let conditions = [
        "department.title == 'R'", "department.title != 'R'", "department == NULL", "NOT department.title == 'R'",
        "ANY projects.title == 'R'", "ALL projects.title == 'R'", "NONE projects.title == 'R'",
        "projects.@count == 0", "projects.@count > 1", "department.employees.@count > 1",
        "department.employees.@sum.salary > 25", "SUBQUERY(projects, $p, $p.title == 'R').@count > 0",
        "badge.number == 1", "badge == NULL", "badge != NULL", "salary > 5 AND department.title == 'R'",
        "salary > 5 OR ANY projects.title == 'S'", "ANY department.employees.name == 'A'",
        "ANY projects.members.name == 'B'", "name == 'A'", "salary > 5 AND name == 'B'", "age == 30 AND name != 'A'",
        "name == 'C' AND department.title == 'R'", "department.title == 'S' AND salary > 5",
        "name == 'A' AND department.title == 'R' AND age == 30",
    ]

    private static let referring = [
        "department == %@", "name == 'A' AND department == %@", "department == %@ AND department.title == 'R'",
        "department != %@", "NOT department == %@", "department == %@ OR name == 'A'",
        "badge == NULL AND department == %@",
        "ANY projects.members.department == %@",
    ]

    private static let orders: [[SortKey]] = [
        [SortKey("name")], [SortKey("department.title"), SortKey("name", ascending: false)], [SortKey("badge.number")],
    ]

    private static func request(_ departments: [ManagedObjectID], _ random: inout SeededGenerator) throws
        -> FetchRequest<ManagedObject>
    {
        let all = conditions + referring
        let condition = all[Int.random(in: 0..<all.count, using: &random)]
        let order = orders[Int.random(in: 0..<orders.count, using: &random)]
        let drawn = departments.randomElement(using: &random)
        let arguments = condition.contains("%@") ? drawn.map { [PredicateArgument.object($0)] } ?? [] : []
        return try FetchRequest("Employee", where: condition, arguments, sortKeys: order)
    }

    @Test func aChildOnItsParentsQueueAnswersAsItsObjectsDo() async throws {
        var random = SeededGenerator.printingSeed()
        for number in 0..<8 {
            let folder = try TemporaryFolder("childfetch")
            let container = try await Company.open(folder)
            let drawn = try await container.performBackgroundTask(with: random) { context, random in
                var random = random
                try Self.fill(context, &random)
                let child = context.newChild()
                let levels = [context, child, child.newChild()]
                let departments = try context.fetch(Department.self).map(\.objectID)
                // Past a number of unsaved objects they are found by their values.
                if number % 2 == 1 {
                    for level in levels { for _ in 0..<20 { try Self.insert(level, &random) } }
                }
                for step in 0..<10 {
                    try Self.change(levels[Int.random(in: 0..<levels.count, using: &random)], &random)
                    for (level, context) in levels.enumerated() {
                        let request = try Self.request(departments, &random)
                        let place = "case \(number), step \(step), level \(level): \(request.text)"
                        try Self.compare(context, request, place)
                        guard level > 0 else { continue }
                        var without = request
                        without.includesPendingChanges = false
                        let above = try levels[level - 1].fetchIDs(request)
                        #expect(try context.fetchIDs(without) == above, "\(place), without its own changes")
                    }
                }
                return random
            }
            random = drawn
            try await container.close()
        }
    }

    @Test func aChildFetchesTheSameAsTheStoreAfterAllHaveSaved() async throws {
        var random = SeededGenerator.printingSeed()
        let folder = try TemporaryFolder("childfetch")
        let container = try await Company.open(folder)
        let parent = container.newBackgroundContext(name: "parent")
        let child = parent.newChild(name: "child")
        random = try await parent.perform(with: random) { context, random in
            var random = random
            try Self.fill(context, &random)
            return random
        }
        for number in 0..<12 {
            random = try await parent.perform(with: random) { context, random in
                var random = random
                for _ in 0..<3 { try Self.change(context, &random) }
                return random
            }
            let requests = try Self.conditions.map { try FetchRequest("Employee", where: $0, sortKeys: Self.orders[1]) }
            let asked = random
            let (answers, drawn) = try await child.perform { context in
                var random = asked
                for _ in 0..<3 { try Self.change(context, &random) }
                for request in requests { try Self.compare(context, request, "round \(number): \(request.text)") }
                let answers = try requests.map { try context.fetchIDs($0) }
                try context.save()
                return (answers, random)
            }
            random = drawn
            try await parent.perform { try $0.save() }
            let stored = try await container.performBackgroundTask { context in
                try requests.map { try context.fetchIDs($0) }
            }
            for (index, request) in requests.enumerated() {
                #expect(answers[index] == stored[index], "round \(number): \(request.text)")
            }
        }
    }

    @Test func aToOneToWhatTheParentHasDeletedReadsNil() async throws {
        let folder = try TemporaryFolder("childfetch")
        let container = try await Company.open(folder)
        try await container.performBackgroundTask { context in
            let department = try context.insert(Department.self)
            let employee = try context.hireAndSave("A")
            let (child, id) = (context.newChild(), employee.objectID)
            do {
                let copy = try #require(child.object(with: id, as: Employee.self))
                copy.department = child.object(with: department.objectID, as: Department.self)
            }
            context.delete(department)
            let request = try FetchRequest("Employee", where: "department == NULL")
            #expect(try child.fetchIDs(request) == [id])
            #expect(try child.newChild().fetchIDs(request) == [id])
            #expect(child.object(with: id, as: Employee.self)?.department == nil)
        }
    }

    // MARK: Comparing

    private static func compare(
        _ context: ManagedObjectContext,
        _ request: FetchRequest<ManagedObject>,
        _ place: String
    ) throws {
        let all = try context.fetch(Employee.self)
        let entity = try context.descriptor(named: "Employee").entity
        let model = context.schema.model
        let condition = try #require(try request.predicate?.bind(to: entity, in: model))
        let keys = try request.sortKeys.map { try $0.bind(to: entity, in: model) }
        let expected = all.filter { condition.evaluate(on: $0) }.sorted { left, right in
            for key in keys {
                let order = key.order(left, right)
                if order != 0 { return order < 0 }
            }
            return left.uniqueID < right.uniqueID
        }
        let found = try context.fetch(request)
        #expect(found.map(\.objectID) == expected.map(\.objectID), "\(place)")
        #expect(try context.fetchIDs(request) == expected.map(\.objectID), "\(place), IDs")
        #expect(try context.count(for: request) == expected.count, "\(place), count")
    }

    // MARK: Changing

    private static func fill(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        for title in ["R", "S"] { try context.insert(Department.self).title = title }
        for title in ["R", "S", "T"] { try context.insert(Project.self).title = title }
        for number in 1...2 { try context.insert(Badge.self).number = Int64(number) }
        for _ in 0..<5 { try insert(context, &random) }
        try context.save()
    }

    private static func some<Object: ManagedObject>(
        _ type: Object.Type,
        _ context: ManagedObjectContext,
        _ random: inout SeededGenerator
    ) throws -> Object? {
        try context.fetch(type).sorted { $0.uniqueID < $1.uniqueID }.randomElement(using: &random)
    }

    private static func insert(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let employee = try context.hire(["A", "B", "C"].randomElement(using: &random) ?? "A")
        employee.salary = Double(Int.random(in: 0...3, using: &random) * 10)
        if Bool.random(using: &random) { employee.department = try some(Department.self, context, &random) }
        if let project = try some(Project.self, context, &random) { employee.projects = [project] }
    }

    private static func change(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let title = ["R", "S", "T"].randomElement(using: &random)
        guard let employee = try some(Employee.self, context, &random) else { return try insert(context, &random) }
        let project = try some(Project.self, context, &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try insert(context, &random)
        case 1: employee.name = title ?? "A"
        case 2: employee.salary = Double(Int.random(in: 0...3, using: &random) * 10)
        case 3: employee.department = try some(Department.self, context, &random)
        case 4: employee.department = nil
        case 5: try some(Department.self, context, &random)?.title = title
        case 6: project?.title = title
        case 7: employee.projects = [project].compactMap { $0 }
        case 8: try some(Badge.self, context, &random)?.owner = employee
        case 9: employee.badge = try some(Badge.self, context, &random)
        case 10: context.delete(employee)
        default:
            switch Int.random(in: 0..<3, using: &random) {
            case 0: try some(Department.self, context, &random).map(context.delete)
            case 1: project.map(context.delete)
            default: try context.insert(Department.self).title = title
            }
        }
    }
}

extension FetchRequest<ManagedObject> {
    fileprivate var text: String { predicate.map { "\($0)" } ?? "all" }
}

import TestSupport
import Testing

@testable import Tributary

/// Random edits, saves, merges and rollbacks: each diff leads from the sections of before to those of after, and these
/// are what a fetch gives.
@MainActor
struct ResultsPropertyTests {
    struct Round: Sendable, CustomTestStringConvertible {
        let number: UInt64
        let pendingLimit: Int
        var testDescription: String { "round \(number), pending limit \(pendingLimit)" }
    }

    nonisolated static let rounds = (0..<3).flatMap { number in
        [1, 3, 10_000].map { Round(number: UInt64(number), pendingLimit: $0) }
    }

    private struct List {
        let controller: FetchedResultsController<Employee>
        let order: FetchRequest<ManagedObject>
        var mirror: [FetchedSection]
    }

    /// Predicates, sort keys with ties, limits, and section key paths.
    private static func lists(_ view: ManagedObjectContext) throws -> [List] {
        var requests: [(FetchRequest<ManagedObject>, String?)] = [
            (FetchRequest("Employee", sortKeys: [SortKey("name")]), nil),
            (try FetchRequest("Employee", where: "salary != 3", sortKeys: [SortKey("name")]), "age"),
            (FetchRequest("Employee", sortKeys: [SortKey("age", ascending: false)]), "department.title"),
            (
                try FetchRequest("Employee", where: "department.title != 'c'", sortKeys: [SortKey("department.title")]),
                nil
            ),
            (try FetchRequest("Employee", where: "projects.@count > 0", sortKeys: [SortKey("salary")]), "name"),
        ]
        var limited = FetchRequest("Employee", sortKeys: [SortKey("name"), SortKey("salary")])
        limited.fetchLimit = 6
        limited.fetchOffset = 2
        requests.append((limited, nil))
        var own = FetchRequest("Employee", sortKeys: [SortKey("salary")])
        own.includesSubentities = false
        requests.append((own, "age"))
        return try requests.map { request, path in
            let controller = try FetchedResultsController<Employee>(request, context: view, sectionKeyPath: path)
            var order = request
            if let path { order.sortKeys = [SortKey(path)] + request.sortKeys.filter { $0.keyPath != path } }
            return List(controller: controller, order: order, mirror: controller.sections)
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: rounds)
    func diffsLeadToWhatAFetchGives(_ round: Round) async throws {
        let base = SeededGenerator.fromEnvironment().seed
        print("TRIBUTARY_SEED=\(base) \(round.testDescription)")
        var random = SeededGenerator(seed: base &+ round.number)
        var options = MergeOptions.onRequest
        options.pendingLimit = round.pendingLimit
        options.saves = false
        let container = try await Company.openInMemory(merging: options)
        let view = container.viewContext
        try await change(container, 12, &random)
        await container.mergePendingChanges()
        var lists = try ResultsPropertyTests.lists(view)
        var diffs = 0
        for index in lists.indices {
            lists[index].controller.onChange = { diff in
                lists[index].mirror = diff.applied(to: lists[index].mirror)
                diffs += 1
            }
        }
        var steps = 0
        // Some draws change little: they go on until there was something to tell.
        while steps < 14 || diffs <= 10 {
            steps += 1
            try #require(steps < 1_000, "no change reaches the controllers")
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                let count = Int.random(in: 1...4, using: &random)
                try ResultsPropertyTests.change(view, count, &random)
                view.processPendingChanges()
            case 4, 5: try await change(container, Int.random(in: 1...5, using: &random), &random)
            case 6, 7:
                try await change(container, 2, &random)
                await container.mergePendingChanges()
            case 8: view.rollback()
            default: try view.save()
            }
            // The remaining notifications of a save or a merge come with the next job of the main actor.
            view.processPendingChanges()
            for index in lists.indices {
                let (controller, list) = (lists[index].controller, lists[index])
                #expect(list.mirror == controller.sections)
                #expect(controller.sections.flatMap(\.objectIDs) == (try view.fetchIDs(list.order)))
                let fresh = try FetchedResultsController<Employee>(
                    controller.request,
                    context: view,
                    sectionKeyPath: controller.sectionKeyPath
                )
                #expect(controller.sections == fresh.sections)
                expectPlaces(controller)
            }
        }
    }

    private func expectPlaces(_ controller: FetchedResultsController<Employee>) {
        let sections = controller.sections
        #expect(controller.count == sections.reduce(0) { $0 + $1.objectIDs.count })
        #expect(controller.sectionCount == sections.count)
        #expect(controller.fetchedObjects.map(\.objectID) == sections.flatMap(\.objectIDs))
        for (section, content) in sections.enumerated() {
            #expect(controller.count(inSection: section) == content.objectIDs.count)
            for (item, id) in content.objectIDs.enumerated() {
                let position = FetchedPosition(section: section, item: item)
                #expect(controller.object(at: position)?.objectID == id)
                #expect(controller.object(at: position).flatMap { controller.position(of: $0) } == position)
            }
        }
    }

    private func change(_ container: PersistentContainer, _ count: Int, _ random: inout SeededGenerator) async throws {
        let seed = random.next()
        try await container.save { context in
            var random = SeededGenerator(seed: seed)
            try ResultsPropertyTests.change(context, count, &random)
        }
    }

    nonisolated private static func change(
        _ context: ManagedObjectContext,
        _ count: Int,
        _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<count {
            let employees = try context.fetch(Employee.self)
            let departments = try context.fetch(Department.self)
            let kind = Int.random(in: 0..<12, using: &random)
            switch kind {
            case 0, 1, 2, 3:
                let id = UniqueID(high: random.next(), low: random.next())
                let new =
                    kind == 0 ? try context.insert(Foreman.self, id: id) : try context.insert(Employee.self, id: id)
                edit(new, departments, &random)
            case 4: employees.randomElement(using: &random).map(context.delete)
            case 5:
                if departments.count < 4 || Bool.random(using: &random) {
                    let id = UniqueID(high: random.next(), low: random.next())
                    try context.insert(Department.self, id: id).title = title(&random)
                } else {
                    departments.randomElement(using: &random).map(context.delete)
                }
            case 6: departments.randomElement(using: &random)?.title = title(&random)
            case 7:
                let project = try context.fetch(Project.self).first ?? context.insert(Project.self)
                employees.randomElement(using: &random)?.projects = Bool.random(using: &random) ? [project] : []
            default:
                if let employee = employees.randomElement(using: &random) { edit(employee, departments, &random) }
            }
        }
    }

    nonisolated private static func title(_ random: inout SeededGenerator) -> String? {
        ["a", "b", "c", nil].randomElement(using: &random) ?? nil
    }

    nonisolated private static func edit(
        _ employee: Employee,
        _ departments: [Department],
        _ random: inout SeededGenerator
    ) {
        employee.name = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
        if Bool.random(using: &random) { employee.age = Int16.random(in: 0..<3, using: &random) }
        if Bool.random(using: &random) { employee.salary = Double(Int.random(in: 0..<5, using: &random)) }
        if Bool.random(using: &random) { employee.department = departments.randomElement(using: &random) }
    }
}

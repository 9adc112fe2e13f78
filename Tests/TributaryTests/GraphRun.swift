import TestSupport
import Tributary
import TributaryStore

/// One store with its contexts and the model of them; takes one random step after another, with relationships.
actor GraphRun {
    /// How a context is reached.
    private enum Access {
        case view
        case background(BackgroundContext)
        case child(ChildContext)
    }

    private let folder: TemporaryFolder
    private let container: PersistentContainer
    private let second: PersistentContainer?
    private var accesses: [Access] = []
    private var model: GraphModel
    private var people: [ManagedObjectID] = []
    private var departments: [ManagedObjectID] = []
    private let projects: [ManagedObjectID]
    private var counter = 0
    private(set) var log: [String] = []

    private static let view = 3

    init(hasSecondContainer: Bool) async throws {
        folder = try TemporaryFolder("graphs")
        container = try await Company.open(folder)
        projects = try await container.performBackgroundTask { context in
            let made = try (0..<3).map { _ in try context.insert(Project.self).objectID }
            try context.save()
            return made
        }
        var options = MergeOptions.fixture
        options.saves = false
        container.setMergeOptions(options)
        await container.mergePendingChanges()
        let free = container.newBackgroundContext(name: "free", mergePolicy: .objectTrump)
        let pinned = container.newBackgroundContext(name: "pinned", mergePolicy: .objectTrump)
        accesses = [.background(free), .background(pinned), .child(pinned.newChild(name: "child of pinned"))]
        var contexts: [GraphModel.Context] = [.init(), .init(generation: 0), .init(parent: 1)]
        if hasSecondContainer {
            let other = try await Company.open(folder)
            second = other
            accesses.append(.background(other.newBackgroundContext(name: "other", mergePolicy: .objectTrump)))
            accesses.append(.background(other.newBackgroundContext(name: "other pinned", mergePolicy: .objectTrump)))
            contexts += [.init(), .init(generation: 0)]
        } else {
            second = nil
            let child = container.newChildOfViewContext(name: "child of view")
            accesses += [.view, .child(child), .child(child.newChild(name: "grandchild of view"))]
            contexts += [.init(generation: 0), .init(parent: 3), .init(parent: 4)]
        }
        model = GraphModel(committed: [GraphModel.State(projects: Set(projects))], contexts: contexts)
        for (index, context) in contexts.enumerated() {
            guard case .background(let background) = accesses[index] else { continue }
            let isPinned = context.generation != nil
            try await background.perform { context in
                if isPinned { try context.pin() } else { context.automaticallyMergesChangesFromParent = true }
            }
        }
    }

    func close() async throws {
        accesses = []
        try await container.close()
        try await second?.close()
    }

    // MARK: Steps

    /// - Returns: What was not as the model says, in words.
    func step(_ random: inout SeededGenerator) async throws -> String? {
        let index = Int.random(in: 0..<accesses.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: try await insertPerson(index, &random)
        case 12..<20: try await insertDepartment(index)
        case 20..<30: try await rename(index, &random)
        case 30..<46: try await move(index, &random)
        case 46..<62: try await link(index, &random)
        case 62..<70: try await delete(index, &random)
        case 70..<84: try await save(index)
        case 84..<91: try await advance(index)
        case 91..<93: checkpoint()
        case 93..<95: try await rollback(index)
        default: if let failure = try await handOver() { return failure }
        }
        return try await compare(Int.random(in: 0..<accesses.count, using: &random))
    }

    private func note(_ what: String, _ index: Int) { log.append("context \(index): \(what)") }

    private func insertPerson(_ index: Int, _ random: inout SeededGenerator) async throws {
        counter += 1
        let name = "n\(counter)"
        let id = try await perform(index) { context in
            let employee = try context.insert(Employee.self)
            employee.name = name
            return employee.objectID
        }
        note("insert \(name) \(id)", index)
        people.append(id)
        model.insertPerson(id, in: index)
        model.setName(id, name, in: index)
    }

    private func insertDepartment(_ index: Int) async throws {
        let id = try await perform(index) { try $0.insert(Department.self).objectID }
        note("insert \(id)", index)
        departments.append(id)
        model.insertDepartment(id, in: index)
    }

    private func rename(_ index: Int, _ random: inout SeededGenerator) async throws {
        guard let id = people.randomElement(using: &random) else { return }
        counter += 1
        let name = "n\(counter)"
        note("rename \(id) \(name)", index)
        try await perform(index) { context in
            (try? context.existingObject(with: id) as? Employee)?.name = name
        }
        model.setName(id, name, in: index)
    }

    private func move(_ index: Int, _ random: inout SeededGenerator) async throws {
        guard let id = people.randomElement(using: &random) else { return }
        let target = Int.random(in: 0..<4, using: &random) == 0 ? nil : departments.randomElement(using: &random)
        // A context cannot name what it does not show.
        let state = model.state(index)
        guard target.map(state.departments.contains) ?? true else { return }
        note("move \(id) to \(target.map { "\($0)" } ?? "nil")", index)
        try await perform(index) { context in
            guard let employee = try? context.existingObject(with: id) as? Employee else { return }
            employee[idOf: Employee.department] = target
        }
        model.setDepartment(id, target, in: index)
    }

    private func link(_ index: Int, _ random: inout SeededGenerator) async throws {
        guard let id = people.randomElement(using: &random), let project = projects.randomElement(using: &random)
        else { return }
        let isLinked = Int.random(in: 0..<3, using: &random) > 0
        let isFromProject = Bool.random(using: &random)
        note("\(isLinked ? "link" : "unlink") \(id) \(project)", index)
        try await perform(index) { context in
            guard let employee = try? context.existingObject(with: id),
                let object = try? context.existingObject(with: project)
            else { return }
            let (owner, key, other) = isFromProject ? (object, "members", employee) : (employee, "projects", object)
            if isLinked { try owner.link(other, forKey: key) } else { try owner.unlink(other, forKey: key) }
        }
        model.setLink(GraphModel.Link(person: id, project: project), isLinked, in: index)
    }

    private func delete(_ index: Int, _ random: inout SeededGenerator) async throws {
        let all = Int.random(in: 0..<12, using: &random) == 0 ? projects : people + departments
        guard let id = all.randomElement(using: &random) else { return }
        note("delete \(id)", index)
        try await perform(index) { context in
            if let object = try? context.existingObject(with: id) { context.delete(object) }
        }
        model.delete(id, in: index)
    }

    private func save(_ index: Int) async throws {
        note("save", index)
        try await perform(index) { try $0.save() }
        model.save(index)
    }

    private func rollback(_ index: Int) async throws {
        note("rollback", index)
        try await perform(index) { $0.rollback() }
        model.contexts[index].pending = GraphModel.Pending()
    }

    private func checkpoint() {
        log.append("checkpoint")
        WALCheckpoint.run(path: folder.path("store.sqlite"))
    }

    /// The view context merges; a pinned one is pinned anew.
    private func advance(_ index: Int) async throws {
        guard model.contexts[index].generation != nil else { return }
        note("advance", index)
        if case .background(let context) = accesses[index] {
            try await context.perform { try $0.pin() }
        } else {
            await container.mergePendingChanges()
        }
        model.contexts[index].generation = model.committed.count - 1
    }

    /// A background context saves a new object and hands its ID and token to the view context.
    private func handOver() async throws -> String? {
        guard second == nil else { return nil }
        counter += 1
        let name = "n\(counter)"
        let (id, token) = try await perform(0) { context in
            let employee = try context.insert(Employee.self)
            employee.name = name
            try context.save()
            return (employee.objectID, context.lastSaveToken)
        }
        note("hand over \(name) \(id)", 0)
        people.append(id)
        model.insertPerson(id, in: 0)
        model.setName(id, name, in: 0)
        model.save(0)
        guard let token else { return "a save leaves no token" }
        await container.mergePendingChanges(through: token)
        model.contexts[GraphRun.view].generation = model.committed.count - 1
        let found = try await perform(GraphRun.view) { try ($0.existingObject(with: id) as? Employee)?.name }
        return found == name ? nil : "the view context reads \(found ?? "nothing") of an ID that was handed over"
    }

    // MARK: Comparing

    private func compare(_ index: Int) async throws -> String? {
        note("compare", index)
        let (found, back, idle) = try await perform(index) { context in
            var state = GraphModel.State()
            for employee in try context.fetch(Employee.self) {
                let id = employee.objectID
                state.people[id] = GraphModel.Person(
                    name: employee.name,
                    department: employee[idOf: Employee.department]
                )
                for project in try employee.objectIDs(forKey: "projects") {
                    state.links.insert(GraphModel.Link(person: id, project: project))
                }
            }
            // The same from the other ends.
            var back = GraphModel.State()
            for department in try context.fetch(Department.self) {
                state.departments.insert(department.objectID)
                for person in try department.objectIDs(forKey: "employees") {
                    back.people[person] = GraphModel.Person(name: "", department: department.objectID)
                }
            }
            for project in try context.fetch(Project.self) {
                state.projects.insert(project.objectID)
                for person in try project.objectIDs(forKey: "members") {
                    back.links.insert(GraphModel.Link(person: person, project: project.objectID))
                }
            }
            let idle = try context.fetchIDs(
                FetchRequest("Employee", where: "department == NULL AND projects.@count == 0")
            )
            return (state, back, Set(idle))
        }
        let expected = model.state(index)
        guard found == expected else { return "context \(index) shows\n\(found)\nnot\n\(expected)" }
        guard back.links == expected.links else { return "context \(index) shows other members of projects" }
        let placed = expected.people.compactMapValues(\.department)
        guard back.people.compactMapValues(\.department) == placed else {
            return "context \(index) shows other employees of departments"
        }
        let alone = expected.people.filter { id, person in
            person.department == nil && !expected.links.contains { $0.person == id }
        }
        return idle == Set(alone.keys) ? nil : "context \(index) finds \(idle), not \(alone.keys)"
    }

    private func perform<T: Sendable>(
        _ index: Int,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        switch accesses[index] {
        case .view: try await inView(body)
        case .background(let context): try await context.perform(body)
        case .child(let context): try await context.perform(body)
        }
    }

    @MainActor
    private func inView<T: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try body(container.viewContext)
    }
}

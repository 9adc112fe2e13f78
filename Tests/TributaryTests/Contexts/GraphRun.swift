import TestSupport
import Tributary

/// The contexts and the model of what they show; takes one random step after another, with relationships and delete
/// rules.
actor GraphRun {
    private let contexts: InterleavedContexts
    private var model: GraphModel
    private var people: [ManagedObjectID] = []
    private var departments: [ManagedObjectID] = []
    private var projects: [ManagedObjectID]
    private var counter = 0
    private(set) var log: [String]

    init(rules: GraphModel.Rules, hasSecondContainer: Bool, seed: UInt64) async throws {
        let contexts = try await InterleavedContexts(
            "graphs",
            model: try Company.model(rules),
            hasSecondContainer: hasSecondContainer,
            seed: seed
        )
        self.contexts = contexts
        let projects = try await contexts.perform(InterleavedContexts.free) { context in
            let made = try (0..<3).map { _ in try context.insert(Project.self).objectID }
            try context.save()
            return made
        }
        self.projects = projects
        await contexts.container.mergePendingChanges()
        // The last of five contexts is pinned as well.
        let pinned = contexts.hasSecondContainer ? [InterleavedContexts.pinned, 4] : [InterleavedContexts.pinned]
        model = GraphModel(
            committed: [GraphModel.State(projects: Set(projects))],
            contexts: contexts.parents.enumerated().map { index, parent in
                let isFixed = pinned.contains(index) || contexts.isView(index)
                return GraphModel.Context(generation: isFixed ? 0 : nil, parent: parent)
            },
            rules: rules
        )
        log = ["\(rules)"]
        for index in 0..<contexts.count where !contexts.isView(index) && !contexts.isChild(index) {
            let isPinned = pinned.contains(index)
            try await contexts.perform(index) { context in
                if isPinned { try context.pin() } else { context.automaticallyMergesChangesFromParent = true }
            }
        }
    }

    func close() async throws { try await contexts.close() }

    // MARK: Steps

    func step(_ random: inout SeededGenerator) async throws -> String? {
        let index = Int.random(in: 0..<contexts.count, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: try await insertPerson(index, &random)
        case 12..<19: try await insertDepartment(index)
        case 19..<20: try await insertProject(index)
        case 20..<30: try await rename(index, &random)
        case 30..<46: try await move(index, &random)
        case 46..<62: try await link(index, &random)
        case 62..<70: try await delete(index, &random)
        case 70..<84: if let failure = try await save(index, &random) { return failure }
        case 84..<91: try await advance(index)
        case 91..<93: checkpoint()
        case 93..<95: try await rollback(index)
        default: if let failure = try await handOver() { return failure }
        }
        return try await compare(Int.random(in: 0..<contexts.count, using: &random))
    }

    private func note(_ what: String, _ index: Int) { log.append("context \(index): \(what)") }

    private func insertPerson(_ index: Int, _ random: inout SeededGenerator) async throws {
        counter += 1
        let name = "n\(counter)"
        let id = try await perform(index) { context in
            let employee = try context.hire(name)
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

    private func insertProject(_ index: Int) async throws {
        let id = try await perform(index) { try $0.insert(Project.self).objectID }
        note("insert \(id)", index)
        projects.append(id)
        model.insertProject(id, in: index)
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
            guard let employee = try? context.existingObject(with: id) as? Employee,
                employee[idOf: Employee.department] != target
            else { return }
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

    private func save(_ index: Int, _ random: inout SeededGenerator) async throws -> String? {
        model.beginPerform(index)
        let isDenied = model.isDenied(index)
        note(isDenied ? "save, to be denied" : "save", index)
        let isSaved = try await perform(index) { context in
            do {
                try context.save()
                return true
            } catch is ValidationError {
                return false
            }
        }
        guard isSaved == !isDenied else { return "context \(index) is \(isDenied ? "not " : "")denied its save" }
        if isSaved {
            model.save(index)
        } else if Bool.random(using: &random) {
            try await rollback(index)
        }
        return nil
    }

    private func rollback(_ index: Int) async throws {
        note("rollback", index)
        try await perform(index) { $0.rollback() }
        model.contexts[index].pending = GraphModel.Pending()
    }

    private func checkpoint() {
        log.append("checkpoint")
        contexts.checkpoint()
    }

    /// The view context merges; a pinned one is pinned anew.
    private func advance(_ index: Int) async throws {
        guard model.contexts[index].generation != nil else { return }
        note("advance", index)
        if contexts.isView(index) {
            await contexts.container.mergePendingChanges()
        } else {
            try await perform(index) { try $0.pin() }
        }
        model.contexts[index].generation = model.committed.count - 1
    }

    /// A background context saves a new object and hands its ID and token to the view context.
    private func handOver() async throws -> String? {
        // Other steps test the errors of the free context's saves.
        guard !contexts.hasSecondContainer, !model.isDenied(InterleavedContexts.free) else { return nil }
        counter += 1
        let name = "n\(counter)"
        let (id, token) = try await perform(InterleavedContexts.free) { context in
            let employee = try context.hire(name)
            try context.save()
            return (employee.objectID, context.lastSaveToken)
        }
        note("hand over \(name) \(id)", InterleavedContexts.free)
        people.append(id)
        model.insertPerson(id, in: InterleavedContexts.free)
        model.setName(id, name, in: InterleavedContexts.free)
        model.save(InterleavedContexts.free)
        guard let token else { return "a save leaves no token" }
        await contexts.container.mergePendingChanges(through: token)
        model.contexts[InterleavedContexts.view].generation = model.committed.count - 1
        let found = try await perform(InterleavedContexts.view) { context in
            try (context.existingObject(with: id) as? Employee)?.name
        }
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
            // The pairs read from their other ends.
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
        // A deleted, unsaved object may still be referred to, but is not read.
        let links = expected.links.filter { expected.projects.contains($0.project) }
        guard back.links == links else {
            return "context \(index) shows as members of projects\n\(back.links)\nnot\n\(links)"
        }
        let placed = expected.people.compactMapValues(\.department).filter { expected.departments.contains($0.value) }
        guard back.people.compactMapValues(\.department) == placed else {
            return "context \(index) shows other employees of departments"
        }
        // To a condition what is deleted is not there.
        let visible = expected.visible(lingering: ([], []))
        let alone = visible.people.filter { id, person in
            person.department == nil && !visible.links.contains { $0.person == id }
        }
        return idle == Set(alone.keys) ? nil : "context \(index) finds \(idle), not \(alone.keys)"
    }

    private func perform<T: Sendable>(
        _ index: Int,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        model.beginPerform(index)
        return try await contexts.perform(index, body)
    }
}

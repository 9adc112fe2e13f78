import TestSupport
import Tributary

/// The contexts and the model of what they show; takes one random step after another, with relationships and delete
/// rules.
actor GraphRun: RandomRun {
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
            let employee = try context.hireAndSave(name)
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

/// A model in memory of the people, departments and projects that contexts on one store must show.
///
/// It has a list of committed states, and for each context the last pending write to each property and pair.
struct GraphModel {
    struct Link: Hashable, Sendable {
        var person: ManagedObjectID
        var project: ManagedObjectID
    }

    struct Person: Hashable, Sendable {
        var name: String
        /// May name a department that is not there: then it reads nil.
        var department: ManagedObjectID?
    }

    struct State: Hashable, Sendable {
        var people: [ManagedObjectID: Person] = [:]
        var departments: Set<ManagedObjectID> = []
        var projects: Set<ManagedObjectID> = []
        var links: Set<Link> = []

        func has(_ id: ManagedObjectID) -> Bool {
            people[id] != nil || departments.contains(id) || projects.contains(id)
        }

        /// The visible state: references to missing objects are removed, except to the `lingering` ones.
        func visible(lingering: (departments: Set<ManagedObjectID>, projects: Set<ManagedObjectID>)) -> State {
            let departments = departments.union(lingering.departments)
            let projects = projects.union(lingering.projects)
            var state = self
            for (id, person) in people {
                state.people[id]?.department = person.department.flatMap { departments.contains($0) ? $0 : nil }
            }
            state.links = links.filter { people[$0.person] != nil && projects.contains($0.project) }
            return state
        }
    }

    struct Pending: Sendable {
        var insertedPeople: Set<ManagedObjectID> = []
        var insertedDepartments: Set<ManagedObjectID> = []
        var insertedProjects: Set<ManagedObjectID> = []
        var names: [ManagedObjectID: String] = [:]
        var departments: [ManagedObjectID: ManagedObjectID?] = [:]
        var links: [Link: Bool] = [:]
        var deleted: Set<ManagedObjectID> = []

        var isEmpty: Bool {
            insertedPeople.isEmpty && insertedDepartments.isEmpty && insertedProjects.isEmpty && names.isEmpty
                && departments.isEmpty && links.isEmpty && deleted.isEmpty
        }

        /// With references to what is not there.
        func applied(to base: State) -> State {
            var state = base
            for id in insertedPeople { state.people[id] = Person(name: "") }
            state.departments.formUnion(insertedDepartments)
            state.projects.formUnion(insertedProjects)
            for (id, name) in names { state.people[id]?.name = name }
            for (id, department) in departments { state.people[id]?.department = department }
            for (link, isLinked) in links {
                if isLinked { state.links.insert(link) } else { state.links.remove(link) }
            }
            for id in deleted {
                state.people[id] = nil
                state.departments.remove(id)
                state.projects.remove(id)
            }
            return state
        }

        mutating func forget(_ id: ManagedObjectID) {
            insertedPeople.remove(id)
            insertedDepartments.remove(id)
            insertedProjects.remove(id)
            names[id] = nil
            departments[id] = nil
            links = links.filter { $0.key.person != id && $0.key.project != id }
        }
    }

    struct Rules: Sendable {
        var employees = DeleteRule.nullify
        var members = DeleteRule.nullify
        var projects = DeleteRule.nullify
    }

    struct Context {
        /// The place in the list of committed states; nil for what is newest.
        var generation: Int?
        /// The context whose state is under this one's.
        var parent: Int?
        var pending = Pending()
    }

    var committed: [State]
    var contexts: [Context]
    let rules: Rules

    var newest: State { committed[committed.count - 1] }

    func base(_ index: Int) -> State {
        let context = contexts[index]
        if let parent = context.parent { return saved(parent) }
        return context.generation.map { committed[$0] } ?? newest
    }

    private func saved(_ index: Int) -> State {
        contexts[index].pending.applied(to: base(index)).visible(lingering: ([], []))
    }

    /// The state that the context shows.
    ///
    /// Objects that it deleted under a rule that keeps references are referred to until the save.
    func state(_ index: Int) -> State {
        let deleted = contexts[index].pending.deleted
        let base = base(index)
        return contexts[index].pending.applied(to: base).visible(
            lingering: (
                rules.employees.leavesOthersAlone ? base.departments.intersection(deleted) : [],
                rules.members.leavesOthersAlone ? base.projects.intersection(deleted) : []
            )
        )
    }

    /// A child with a queue of its own begins with its parent's state, which begins with its own parent's: changes to
    /// objects that are gone there are dropped.
    mutating func beginPerform(_ index: Int) {
        guard let parent = contexts[index].parent else { return }
        beginPerform(parent)
        let base = base(index)
        var pending = contexts[index].pending
        let inserted = pending.insertedPeople.union(pending.insertedProjects)
        func isThere(_ id: ManagedObjectID) -> Bool { base.has(id) || inserted.contains(id) }
        pending.names = pending.names.filter { isThere($0.key) }
        pending.departments = pending.departments.filter { isThere($0.key) }
        pending.links = pending.links.filter { isThere($0.key.person) && isThere($0.key.project) }
        pending.deleted = pending.deleted.filter(base.has)
        contexts[index].pending = pending
    }

    // MARK: Changing

    mutating func insertPerson(_ id: ManagedObjectID, in index: Int) {
        contexts[index].pending.insertedPeople.insert(id)
    }

    mutating func insertDepartment(_ id: ManagedObjectID, in index: Int) {
        contexts[index].pending.insertedDepartments.insert(id)
    }

    mutating func insertProject(_ id: ManagedObjectID, in index: Int) {
        contexts[index].pending.insertedProjects.insert(id)
    }

    /// Saying what is so already changes nothing.
    mutating func setName(_ id: ManagedObjectID, _ name: String, in index: Int) {
        guard let person = state(index).people[id], person.name != name else { return }
        contexts[index].pending.names[id] = name
    }

    mutating func setDepartment(_ id: ManagedObjectID, _ department: ManagedObjectID?, in index: Int) {
        guard let person = state(index).people[id] else { return }
        // A register may name a department that is not there, and is written all the same.
        guard contexts[index].pending.departments[id] ?? person.department != department else { return }
        contexts[index].pending.departments[id] = .some(department)
    }

    mutating func setLink(_ link: Link, _ isLinked: Bool, in index: Int) {
        let state = state(index)
        guard state.people[link.person] != nil, state.projects.contains(link.project),
            state.links.contains(link) != isLinked
        else { return }
        let isBase = base(index).links.contains(link)
        contexts[index].pending.links[link] = isBase == isLinked ? nil : isLinked
    }

    // MARK: Deleting

    /// Deletes an object and applies the delete rules to the related objects that the context knows.
    mutating func delete(_ id: ManagedObjectID, in index: Int) {
        let state = state(index)
        guard state.has(id) else { return }
        let employees = state.people.keys.filter { state.people[$0]?.department == id }
        let links = state.links.filter { $0.person == id || $0.project == id }
        let pending = contexts[index].pending
        let isNew = [pending.insertedPeople, pending.insertedDepartments, pending.insertedProjects].contains {
            $0.contains(id)
        }
        // An object that was never saved leaves no reference behind under any rule.
        if isNew || rules.employees == .nullify {
            for person in employees { setDepartment(person, nil, in: index) }
        }
        for link in links where isNew || rule(for: link, deleting: id) == .nullify {
            setLink(link, false, in: index)
        }
        if isNew { contexts[index].pending.forget(id) } else { contexts[index].pending.deleted.insert(id) }
        if rules.employees == .cascade { for person in employees { delete(person, in: index) } }
        for link in links where rule(for: link, deleting: id) == .cascade {
            delete(link.person == id ? link.project : link.person, in: index)
        }
    }

    private func rule(for link: Link, deleting id: ManagedObjectID) -> DeleteRule {
        link.person == id ? rules.projects : rules.members
    }

    /// Whether a Deny stands against the context's save: one of those that a deleted object was for is still there.
    func isDenied(_ index: Int) -> Bool {
        let base = base(index)
        let deleted = contexts[index].pending.deleted.filter(base.has)
        let state = contexts[index].pending.applied(to: base)
        let isDepartmentHeld =
            rules.employees == .deny
            && state.people.values.contains { $0.department.map(deleted.contains) ?? false }
        let isProjectHeld =
            rules.members == .deny
            && state.links.contains { deleted.contains($0.project) && state.people[$0.person] != nil }
        return isDepartmentHeld || isProjectHeld
    }

    // MARK: Saving

    mutating func save(_ index: Int) {
        let pending = contexts[index].pending
        contexts[index].pending = Pending()
        guard !pending.isEmpty else { return }
        if let parent = contexts[index].parent { return hand(pending, to: parent) }
        committed.append(pending.applied(to: newest).visible(lingering: ([], [])))
        if contexts[index].generation != nil { contexts[index].generation = committed.count - 1 }
    }

    private mutating func hand(_ pending: Pending, to parent: Int) {
        for id in pending.insertedPeople { insertPerson(id, in: parent) }
        for id in pending.insertedDepartments { insertDepartment(id, in: parent) }
        for id in pending.insertedProjects { insertProject(id, in: parent) }
        for (id, name) in pending.names { setName(id, name, in: parent) }
        for (id, department) in pending.departments { setDepartment(id, department, in: parent) }
        for (link, isLinked) in pending.links { setLink(link, isLinked, in: parent) }
        for id in pending.deleted { delete(id, in: parent) }
    }
}

extension DeleteRule {
    fileprivate var leavesOthersAlone: Bool { self == .deny || self == .noAction }
}

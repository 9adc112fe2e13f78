import Tributary
import TributaryModel

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

import Tributary

/// What contexts on one store must show of people, departments and projects: a list of committed states, and each
/// context's pending changes as the last word on each property and each pair.
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

        /// The department that a person shows.
        func department(of id: ManagedObjectID) -> ManagedObjectID? {
            people[id]?.department.flatMap { departments.contains($0) ? $0 : nil }
        }

        /// What can be seen: no reference to what is not there.
        var visible: State {
            var state = self
            for id in people.keys { state.people[id]?.department = department(of: id) }
            state.links = links.filter { people[$0.person] != nil && projects.contains($0.project) }
            return state
        }
    }

    struct Pending: Sendable {
        var insertedPeople: Set<ManagedObjectID> = []
        var insertedDepartments: Set<ManagedObjectID> = []
        var names: [ManagedObjectID: String] = [:]
        var departments: [ManagedObjectID: ManagedObjectID?] = [:]
        var links: [Link: Bool] = [:]
        var deleted: Set<ManagedObjectID> = []

        var isEmpty: Bool {
            insertedPeople.isEmpty && insertedDepartments.isEmpty && names.isEmpty && departments.isEmpty
                && links.isEmpty && deleted.isEmpty
        }

        func applied(to base: State) -> State {
            var state = base
            for id in insertedPeople { state.people[id] = Person(name: "") }
            state.departments.formUnion(insertedDepartments)
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
            return state.visible
        }
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

    var newest: State { committed[committed.count - 1] }

    func base(_ index: Int) -> State {
        let context = contexts[index]
        if let parent = context.parent { return state(parent) }
        return context.generation.map { committed[$0] } ?? newest
    }

    func state(_ index: Int) -> State { contexts[index].pending.applied(to: base(index)) }

    // MARK: Changing

    mutating func insertPerson(_ id: ManagedObjectID, in index: Int) {
        contexts[index].pending.insertedPeople.insert(id)
    }

    mutating func insertDepartment(_ id: ManagedObjectID, in index: Int) {
        contexts[index].pending.insertedDepartments.insert(id)
    }

    /// Saying what is so already changes nothing.
    mutating func setName(_ id: ManagedObjectID, _ name: String, in index: Int) {
        guard let person = state(index).people[id], person.name != name else { return }
        contexts[index].pending.names[id] = name
    }

    mutating func setDepartment(_ id: ManagedObjectID, _ department: ManagedObjectID?, in index: Int) {
        let state = state(index)
        guard state.people[id] != nil else { return }
        // A register may name a department that is not there, and is written all the same.
        guard contexts[index].pending.departments[id] ?? state.department(of: id) != department else { return }
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

    /// With Nullify: whoever is in a department lets go of it, as far as the context knows them.
    mutating func delete(_ id: ManagedObjectID, in index: Int) {
        let state = state(index)
        guard state.has(id) else { return }
        for person in state.people.keys where state.department(of: person) == id {
            setDepartment(person, nil, in: index)
        }
        var pending = contexts[index].pending
        let isNew = pending.insertedPeople.remove(id) != nil || pending.insertedDepartments.remove(id) != nil
        pending.names[id] = nil
        pending.departments[id] = nil
        pending.links = pending.links.filter { $0.key.person != id && $0.key.project != id }
        if !isNew { pending.deleted.insert(id) }
        contexts[index].pending = pending
    }

    // MARK: Saving

    mutating func save(_ index: Int) {
        let pending = contexts[index].pending
        contexts[index].pending = Pending()
        guard !pending.isEmpty else { return }
        if let parent = contexts[index].parent { return hand(pending, to: parent) }
        committed.append(pending.applied(to: newest))
        if contexts[index].generation != nil { contexts[index].generation = committed.count - 1 }
    }

    private mutating func hand(_ pending: Pending, to parent: Int) {
        for id in pending.insertedPeople { insertPerson(id, in: parent) }
        for id in pending.insertedDepartments { insertDepartment(id, in: parent) }
        for (id, name) in pending.names { setName(id, name, in: parent) }
        for (id, department) in pending.departments { setDepartment(id, department, in: parent) }
        for (link, isLinked) in pending.links { setLink(link, isLinked, in: parent) }
        for id in pending.deleted { delete(id, in: parent) }
    }
}

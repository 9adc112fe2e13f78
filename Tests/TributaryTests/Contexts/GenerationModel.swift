import Tributary

/// A model in memory of the states that contexts on one store must show.
///
/// It has a list of committed states, and the pending changes of each context.
struct GenerationModel {
    struct Values: Hashable, Sendable {
        var name: String
        var age: Int16
    }

    struct Edit: Sendable {
        var name: String?
        var age: Int16?

        func applied(to values: Values) -> Values {
            Values(name: name ?? values.name, age: age ?? values.age)
        }

        mutating func add(_ later: Edit) {
            name = later.name ?? name
            age = later.age ?? age
        }
    }

    enum Pending: Sendable {
        case inserted(Values)
        /// On top of the values as last read or merged.
        case updated(base: Values, Edit)
        case deleted
    }

    typealias State = [ManagedObjectID: Values]

    struct Context {
        /// The place in the list of committed states; nil for what is newest.
        var generation: Int?
        var pending: [ManagedObjectID: Pending] = [:]
        /// The context whose state is under this one's.
        var parent: Int?
    }

    var committed: [State] = [[:]]
    var contexts: [Context]

    var newest: State { committed[committed.count - 1] }

    // MARK: Reading

    func base(_ index: Int) -> State {
        let context = contexts[index]
        if let parent = context.parent { return state(parent) }
        return context.generation.map { committed[$0] } ?? newest
    }

    func state(_ index: Int) -> State {
        var state = base(index)
        for (id, pending) in contexts[index].pending {
            switch pending {
            case .inserted(let values): state[id] = values
            case .updated(let base, let edit): state[id] = edit.applied(to: base)
            case .deleted: state[id] = nil
            }
        }
        return state
    }

    // MARK: Changing

    mutating func insert(_ id: ManagedObjectID, _ values: Values, in index: Int) {
        contexts[index].pending[id] = .inserted(values)
    }

    /// An object that the context does not show stays as it is.
    mutating func edit(_ id: ManagedObjectID, _ edit: Edit, in index: Int) {
        switch contexts[index].pending[id] {
        case .inserted(let values): contexts[index].pending[id] = .inserted(edit.applied(to: values))
        case .updated(let base, var sum):
            sum.add(edit)
            contexts[index].pending[id] = .updated(base: base, sum)
        case .deleted: break
        case nil:
            if let base = base(index)[id] { contexts[index].pending[id] = .updated(base: base, edit) }
        }
    }

    mutating func delete(_ id: ManagedObjectID, in index: Int) {
        switch contexts[index].pending[id] {
        case .inserted: contexts[index].pending[id] = nil
        case .updated: contexts[index].pending[id] = .deleted
        case .deleted: break
        case nil: if base(index)[id] != nil { contexts[index].pending[id] = .deleted }
        }
    }

    // MARK: Moving

    /// Puts the state under the context below its changes; those to objects that are gone go too.
    mutating func rebase(_ index: Int) {
        let base = base(index)
        for (id, pending) in contexts[index].pending {
            switch pending {
            case .inserted: continue
            case .updated(_, let edit):
                contexts[index].pending[id] = base[id].map { .updated(base: $0, edit) }
            case .deleted: if base[id] == nil { contexts[index].pending[id] = nil }
            }
        }
    }

    mutating func move(_ index: Int, to generation: Int?) {
        contexts[index].generation = generation
        rebase(index)
    }

    /// The context's properties stand, one by one; an object that was deleted stays deleted.
    mutating func save(_ index: Int) {
        let pending = contexts[index].pending
        contexts[index].pending = [:]
        if let parent = contexts[index].parent { return hand(pending, to: parent) }
        guard !pending.isEmpty else { return }
        var state = newest
        for (id, pending) in pending {
            switch pending {
            case .inserted(let values): state[id] = values
            case .updated(_, let edit): state[id] = state[id].map { edit.applied(to: $0) }
            case .deleted: state[id] = nil
            }
        }
        committed.append(state)
        if contexts[index].generation != nil { contexts[index].generation = committed.count - 1 }
    }

    private mutating func hand(_ pending: [ManagedObjectID: Pending], to parent: Int) {
        for (id, pending) in pending {
            switch pending {
            case .inserted(let values): insert(id, values, in: parent)
            case .updated(_, let change): edit(id, change, in: parent)
            case .deleted: delete(id, in: parent)
            }
        }
    }
}

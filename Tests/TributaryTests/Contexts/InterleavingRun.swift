import TestSupport
import Tributary

/// The contexts and the model of what they show; takes one random step after another.
actor InterleavingRun: RandomRun {
    private let contexts: InterleavedContexts
    private var model: GenerationModel
    private var ids: [ManagedObjectID] = []
    private var counter = 0
    private(set) var log: [String] = []

    init(hasSecondContainer: Bool, seed: UInt64) async throws {
        let contexts = try await InterleavedContexts(
            "interleavings",
            model: try Company.model(),
            hasSecondContainer: hasSecondContainer,
            seed: seed
        )
        self.contexts = contexts
        model = GenerationModel(
            contexts: contexts.parents.enumerated().map { index, parent in
                GenerationModel.Context(generation: contexts.isView(index) ? 0 : nil, parent: parent)
            }
        )
    }

    func close() async throws { try await contexts.close() }

    // MARK: Steps

    func step(_ random: inout SeededGenerator) async throws -> String? {
        let index = Int.random(in: 0..<contexts.count, using: &random)
        let choice = Int.random(in: 0..<100, using: &random)
        switch choice {
        case 0..<18: try await insert(index)
        case 18..<38: try await edit(index, &random)
        case 38..<46: try await delete(index, &random)
        case 46..<62: try await save(index)
        case 62..<70: try await move(index)
        case 70..<73: checkpoint()
        case 73..<76: try await rollback(index)
        case 76..<86: return try await fault(index, &random)
        default: break
        }
        return try await compare(Int.random(in: 0..<contexts.count, using: &random), &random)
    }

    /// A child with a queue of its own begins with its parent's state, which begins with its own parent's.
    private func beginPerform(_ index: Int) {
        guard let parent = model.contexts[index].parent else { return }
        beginPerform(parent)
        model.rebase(index)
    }

    private func note(_ what: String, _ index: Int) { log.append("context \(index): \(what)") }

    private func insert(_ index: Int) async throws {
        counter += 1
        let values = GenerationModel.Values(name: "n\(counter)", age: Int16(counter % 20_000 + 100))
        let id = try await perform(index) { context in
            let employee = try context.hire(values.name)
            employee.age = values.age
            return employee.objectID
        }
        note("insert \(values.name) \(id)", index)
        ids.append(id)
        model.insert(id, values, in: index)
    }

    private func edit(_ index: Int, _ random: inout SeededGenerator) async throws {
        guard let id = ids.randomElement(using: &random) else { return }
        counter += 1
        var edit = GenerationModel.Edit()
        if Bool.random(using: &random) { edit.name = "n\(counter)" } else { edit.age = Int16(counter % 20_000 + 100) }
        note("edit \(id) \(edit)", index)
        let change = edit
        try await perform(index) { context in
            guard let employee = try? context.existingObject(with: id) as? Employee else { return }
            if let name = change.name { employee.name = name }
            if let age = change.age { employee.age = age }
        }
        model.edit(id, edit, in: index)
    }

    private func delete(_ index: Int, _ random: inout SeededGenerator) async throws {
        guard let id = ids.randomElement(using: &random) else { return }
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
        model.contexts[index].pending = [:]
    }

    private func checkpoint() {
        log.append("checkpoint")
        contexts.checkpoint()
    }

    /// The view context merges; a background context is pinned anew, or let go.
    private func move(_ index: Int) async throws {
        guard index != InterleavedContexts.free, !contexts.isChild(index) else { return }
        if contexts.isView(index) {
            note("merge", index)
            await contexts.container.mergePendingChanges()
            return model.move(index, to: model.committed.count - 1)
        }
        counter += 1
        if counter.isMultiple(of: 3), model.contexts[index].generation != nil {
            note("unpin", index)
            try await perform(index) { try $0.unpin() }
            model.move(index, to: nil)
        } else {
            note("pin", index)
            try await perform(index) { try $0.pin() }
            model.move(index, to: model.committed.count - 1)
        }
    }

    // MARK: Comparing

    /// Follows an ID that any context may have made.
    private func fault(_ index: Int, _ random: inout SeededGenerator) async throws -> String? {
        guard let id = ids.randomElement(using: &random) else { return nil }
        note("fault \(id)", index)
        let found = try await perform(index) { context -> GenerationModel.Values? in
            guard let employee = try? context.existingObject(with: id) as? Employee else { return nil }
            return GenerationModel.Values(name: employee.name, age: employee.age)
        }
        let expected = model.state(index)[id]
        return found == expected ? nil : "context \(index) reads \(id) as \(describe(found)), not \(describe(expected))"
    }

    private func describe(_ values: GenerationModel.Values?) -> String { values.map { "\($0)" } ?? "absent" }

    private func compare(_ index: Int, _ random: inout SeededGenerator) async throws -> String? {
        note("fetch", index)
        let bound = Int16.random(in: 100...120, using: &random)
        let (found, ids, count) = try await perform(index) { context in
            var found: GenerationModel.State = [:]
            for employee in try context.fetch(Employee.self, sortKeys: [SortKey("age")]) {
                found[employee.objectID] = GenerationModel.Values(name: employee.name, age: employee.age)
            }
            let older = try ObjectPredicate(parsing: "age > \(bound)")
            return (
                found, Set(try context.fetchIDs(FetchRequest("Employee"))),
                try context.count(for: FetchRequest("Employee", predicate: older))
            )
        }
        let expected = model.state(index)
        guard found == expected else {
            let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
            let words = wrong.map { "\($0): \(describe(found[$0])), not \(describe(expected[$0]))" }
            return "context \(index) fetches \(words.joined(separator: "; "))"
        }
        guard ids == Set(expected.keys) else { return "context \(index) fetches other IDs than objects" }
        guard count == expected.values.count(where: { $0.age > bound }) else {
            return "context \(index) counts \(count)"
        }
        return nil
    }

    private func perform<T: Sendable>(
        _ index: Int,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        beginPerform(index)
        return try await contexts.perform(index, body)
    }
}

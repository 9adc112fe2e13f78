import TestSupport
import Testing
import Tributary

/// A save follows the merge policy when another context has saved its object meanwhile.
struct ConflictTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func insert() async throws -> ManagedObjectID {
        try await container.performBackgroundTask { context in
            let employee = try context.hire("Ann")
            employee.age = 20
            try context.save()
            return employee.objectID
        }
    }

    private func store(_ id: ManagedObjectID, _ change: @Sendable (Employee) -> Void) async throws {
        try await container.performBackgroundTask { context in
            let employee = try #require(try context.existingObject(with: id) as? Employee)
            change(employee)
            try context.save()
        }
    }

    /// Reads here, changes there, changes here and saves; answers what the context then shows.
    private func race(
        _ policy: MergePolicy,
        there: @Sendable (Employee) -> Void,
        here: @Sendable (Employee) -> Void
    ) async throws -> ObjectSnapshot? {
        let id = try await insert()
        let background = container.newBackgroundContext(mergePolicy: policy)
        // The object must stay the same between the two bodies, so it is kept dirty.
        try await background.perform { context in
            let employee = try #require(try context.existingObject(with: id) as? Employee)
            here(employee)
        }
        try await store(id, there)
        return try await background.perform { context in
            try context.save()
            let object = context.object(with: id)
            try? object.load()
            return object.state == .gone ? nil : object.snapshot()
        }
    }

    @Test
    func thePolicyErrorThrowsWithBothSides() async throws {
        let error = try await #require(throws: ConflictError.self) {
            _ = try await race(.error, there: { $0.salary = 5 }, here: { $0.name = "Bob" })
        }
        let conflict = try #require(error.conflicts.first)
        #expect(conflict.changedProperties == ["name"])
        #expect(conflict.changedInStore == ["salary"])
        #expect(conflict.cached["salary"] == .null)
        #expect(conflict.stored?["salary"] == .double(5))
    }

    @Test
    func objectTrumpKeepsWhatWasChangedHere() async throws {
        let result = try await race(
            .objectTrump,
            there: {
                $0.name = "Cid"; $0.salary = 5
            },
            here: { $0.name = "Bob" }
        )
        #expect(result?["name"] == .string("Bob"))
        #expect(result?["salary"] == .double(5))
    }

    @Test
    func storeTrumpKeepsWhatWasChangedThere() async throws {
        let result = try await race(
            .storeTrump,
            there: { $0.name = "Cid" },
            here: {
                $0.name = "Bob"; $0.age = 40
            }
        )
        #expect(result?["name"] == .string("Cid"))
        #expect(result?["age"] == .integer(40))
    }

    @Test
    func overwriteWritesTheWholeObject() async throws {
        let result = try await race(.overwrite, there: { $0.salary = 5 }, here: { $0.name = "Bob" })
        #expect(result?["name"] == .string("Bob"))
        #expect(result?["salary"] == .null)
    }

    @Test
    func rollbackDropsWhatWasChangedHere() async throws {
        let result = try await race(.rollback, there: { $0.salary = 5 }, here: { $0.name = "Bob" })
        #expect(result?["name"] == .string("Ann"))
        #expect(result?["salary"] == .double(5))
    }

    @Test(arguments: MergePolicy.allCases)
    func aDeletionElsewhereStandsOrIsAConflict(_ policy: MergePolicy) async throws {
        let deletion: @Sendable (Employee) -> Void = { $0.managedObjectContext?.delete($0) }
        if policy == .error {
            let error = try await #require(throws: ConflictError.self) {
                _ = try await race(policy, there: deletion, here: { $0.name = "Bob" })
            }
            #expect(error.conflicts.first?.stored == nil)
        } else {
            #expect(try await race(policy, there: deletion, here: { $0.name = "Bob" }) == nil)
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func aDeletionHereMeetsAChangeElsewhere(_ policy: MergePolicy) async throws {
        let deletion: @Sendable (Employee) -> Void = { $0.managedObjectContext?.delete($0) }
        switch policy {
        case .error:
            await #expect(throws: ConflictError.self) {
                _ = try await race(policy, there: { $0.salary = 5 }, here: deletion)
            }
        case .objectTrump, .overwrite:
            #expect(try await race(policy, there: { $0.salary = 5 }, here: deletion) == nil)
        case .storeTrump, .rollback:
            #expect(try await race(policy, there: { $0.salary = 5 }, here: deletion)?["salary"] == .double(5))
        }
    }

    @Test
    func refreshingSettlesAConflict() async throws {
        let id = try await insert()
        let background = container.newBackgroundContext()
        await background.perform { context in
            (context.object(with: id) as? Employee)?.name = "Bob"
        }
        try await store(id) { $0.salary = 5 }
        try await background.perform { context in
            #expect(throws: ConflictError.self) { try context.save() }
            let employee = try #require(context.object(with: id) as? Employee)
            context.refresh(employee, mergeChanges: true)
            #expect(employee.name == "Bob" && employee.salary == 5)
            try context.save()
        }
    }
}

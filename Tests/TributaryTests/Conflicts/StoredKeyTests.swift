import TestSupport
import Testing
import Tributary

/// A save compares the unique keys that the store would have: others may have changed keys since the context read them.
struct StoredKeyTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("stored-key")
        container = try await PersistentContainer.open(folder, model: ProductModel.make())
    }

    private static func make(_ context: ManagedObjectContext, _ code: String, _ title: String) throws {
        try context.insert("Product", ["code": .string(code), "title": .string(title)])
    }

    /// Returns codes and titles, sorted, or nil when the save throws ``ConflictError``.
    ///
    /// A context stores the product A1 with the title "stored", and changes it; others change the store; then the context
    /// saves.
    private func race(
        _ policy: MergePolicy,
        resolving answer: MergePolicy? = nil,
        here: @escaping @Sendable (ManagedObjectContext, ManagedObject) throws -> Void,
        elsewhere: @escaping @Sendable (ManagedObjectContext, ManagedObject) throws -> Void
    ) async throws -> [String]? {
        let background = container.newBackgroundContext(mergePolicy: policy)
        let id = try await background.perform { context in
            let product = try context.insert("Product", ["code": .string("A1"), "title": .string("stored")])
            try context.save()
            try here(context, product)
            return product.objectID
        }
        try await container.save { context in try elsewhere(context, context.existingObject(with: id)) }
        let isSaved = try await background.perform { context in
            if answer != nil { context.resolveConflict = { _, _ in answer } }
            defer { context.resolveConflict = nil }
            do {
                try context.save()
                return true
            } catch is ConflictError {
                return false
            }
        }
        guard isSaved else { return nil }
        return try await container.performBackgroundTask { context in
            let products = try context.fetch(FetchRequest("Product"))
            let result = try products.map { "\(try $0.text("code")) \(try $0.text("title"))" }.sorted()
            for (index, product) in products.enumerated() { try product.setValue(.string("Z\(index)"), forKey: "code") }
            try context.save()
            let count = try context.count(for: FetchRequest("Product"))
            #expect(count == result.count, "no object is hidden behind a key of another")
            return result
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func aKeyThatOthersHaveGivenToAChangedObject(_ policy: MergePolicy) async throws {
        let result = try await race(policy) { context, product in
            try product.setValue(.string("K"), forKey: "maker")
            try Self.make(context, "B2", "new")
        } elsewhere: { _, product in
            try product.setValue(.string("B2"), forKey: "code")
        }
        switch policy {
        case .error: #expect(result == nil)
        // The new object loses to the saved one, which keeps its key.
        case .objectTrump, .storeTrump: #expect(result == ["B2 stored"])
        case .rollback: #expect(result == ["B2 stored"])
        // It writes its key back.
        case .overwrite: #expect(result == ["A1 stored", "B2 new"])
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func aKeyThatOthersHaveTakenFromAChangedObject(_ policy: MergePolicy) async throws {
        let result = try await race(policy) { context, product in
            try product.setValue(.string("K"), forKey: "maker")
            try Self.make(context, "A1", "new")
        } elsewhere: { _, product in
            try product.setValue(.string("B2"), forKey: "code")
        }
        switch policy {
        case .error: #expect(result == nil)
        case .objectTrump, .storeTrump, .rollback: #expect(result == ["A1 new", "B2 stored"])
        // It writes its key back, and the new object loses to it.
        case .overwrite: #expect(result == ["A1 stored"])
        }
    }

    @Test(arguments: MergePolicy.allCases, MergePolicy.allCases)
    func theAnswerOfAProgramDecides(_ policy: MergePolicy, _ answer: MergePolicy) async throws {
        let result = try await race(policy, resolving: answer) { _, product in
            try product.setValue(.string("mine"), forKey: "title")
        } elsewhere: { context, product in
            try product.setValue(.string("B2"), forKey: "code")
            try Self.make(context, "A1", "other")
        }
        switch answer {
        case .error: #expect(result == nil)
        case .objectTrump, .storeTrump: #expect(result == ["A1 other", "B2 mine"])
        case .rollback: #expect(result == ["A1 other", "B2 stored"])
        case .overwrite: #expect(result == ["A1 mine"])
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func anObjectWhoseDeletionIsDroppedKeepsItsKey(_ policy: MergePolicy) async throws {
        let result = try await race(policy) { context, product in
            context.delete(product)
            try Self.make(context, "A1", "new")
        } elsewhere: { _, product in
            try product.setValue(.string("theirs"), forKey: "title")
        }
        switch policy {
        case .error: #expect(result == nil)
        case .objectTrump, .overwrite: #expect(result == ["A1 new"])
        case .storeTrump, .rollback: #expect(result == ["A1 theirs"])
        }
    }

    /// The context gives a key to one object; the object that held it takes the key of a third, which others have.
    @Test func aDroppedChangeLeavesTheKeyWithItsObject() async throws {
        let result = try await race(.storeTrump) { context, product in
            try product.setValue(.string("C3"), forKey: "code")
            try Self.make(context, "A1", "new")
        } elsewhere: { context, _ in
            try Self.make(context, "C3", "other")
        }
        #expect(result == ["A1 stored", "C3 other"])
    }
}

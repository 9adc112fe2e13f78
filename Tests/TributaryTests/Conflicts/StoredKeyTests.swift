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
    /// saves. Another save frees all keys, after which a hidden object would appear.
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
        // The saved object has the key, and the new object loses.
        case .objectTrump, .storeTrump, .rollback: #expect(result == ["B2 stored"])
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

    /// The changed object meets a key of others and keeps its stored key, which a new object wanted.
    ///
    /// When the new object comes first, only a second comparison finds that.
    @Test(arguments: [false, true])
    func aDroppedChangeLeavesTheKeyWithItsObject(isNewFirst: Bool) async throws {
        let result = try await race(.storeTrump) { context, product in
            if isNewFirst { try Self.make(context, "A1", "new") }
            try product.setValue(.string("C3"), forKey: "code")
            if !isNewFirst { try Self.make(context, "A1", "new") }
        } elsewhere: { context, _ in
            try Self.make(context, "C3", "other")
        }
        #expect(result == ["A1 stored", "C3 other"])
    }

    /// The ID of a deleted object with a key goes to an object of another entity, without keys.
    @Test(arguments: MergePolicy.allCases)
    func aKeyOfAnObjectWhoseIDHasAnotherEntity(_ policy: MergePolicy) async throws {
        let folder = try TemporaryFolder("stored-key-root")
        let model = try Model(
            entities: """
                Thing: {attributes: {title: String?}}
                Product: {parent: Thing, attributes: {code: String?}, unique: [code]}
                """
        )
        let container = try await PersistentContainer.open(folder, model: model)
        try await container.performBackgroundTask { context in
            context.mergePolicy = policy
            try Self.make(context, "A1", "former")
            try context.save()
            let former = try #require(try context.fetch(FetchRequest("Product")).first)
            context.delete(former)
            try context.insert(entity: "Thing", id: former.uniqueID).setValue(.string("thing"), forKey: "title")
            try Self.make(context, "A1", "new")
            try context.save()
            let titles = try context.fetch(FetchRequest("Thing")).map { try $0.text("title") }.sorted()
            #expect(titles == ["new", "thing"])
        }
        try await container.close()
    }

    // MARK: Answers of a program

    @Test(arguments: [false, true])
    func aProgramMovesAKeyFromOneObjectToAnother(isOtherChanged: Bool) async throws {
        let background = container.newBackgroundContext(mergePolicy: .error)
        let ids = try await background.perform { context in
            let other = try context.insert("Product", ["code": .string("K"), "title": .string("other")])
            let product = try context.insert("Product", ["code": .string("A1"), "title": .string("stored")])
            try context.save()
            // Changed first, so that the save decides about it before it asks the program.
            if isOtherChanged { try other.setValue(.string("M"), forKey: "maker") }
            try product.setValue(.string("mine"), forKey: "title")
            return [other.objectID, product.objectID]
        }
        try await container.save { try $0.existingObject(with: ids[1]).setValue(.string("theirs"), forKey: "title") }
        try await background.perform { context in
            let other = try context.existingObject(with: ids[0])
            context.resolveConflict = { object, _ in
                try other.setValue(.string("K9"), forKey: "code")
                try object.setValue(.string("K"), forKey: "code")
                return .objectTrump
            }
            defer { context.resolveConflict = nil }
            try context.save()
        }
        let codes = try await container.performBackgroundTask { context in
            try ids.map { try context.existingObject(with: $0).text("code") }
        }
        #expect(codes == ["K9", "K"])
    }

    /// The program gives up the changes of an object whose key a new object takes.
    @Test(arguments: [MergePolicy.objectTrump, .overwrite], [false, true])
    func theContextShowsWhatAKeyDoesToADroppedObject(_ policy: MergePolicy, isDeletion: Bool) async throws {
        let background = container.newBackgroundContext(mergePolicy: policy)
        let id = try await background.perform { context in
            let product = try context.insert("Product", ["code": .string("A1"), "title": .string("stored")])
            try context.save()
            if isDeletion { context.delete(product) } else { try product.setValue(.string("M"), forKey: "maker") }
            try Self.make(context, "A1", "new")
            return product.objectID
        }
        try await container.save { try $0.existingObject(with: id).setValue(.string("theirs"), forKey: "title") }
        try await background.perform { context in
            let product = context.object(with: id)
            context.resolveConflict = { _, _ in .rollback }
            try context.save()
            context.resolveConflict = nil
            guard policy != .overwrite else {
                #expect(product.state == .gone, "the new object has replaced it")
                return
            }
            #expect(try product.text("title") == "new", "the stored object has taken the values")
            try product.setValue(.string("later"), forKey: "title")
            context.mergePolicy = .error
            try context.save()
        }
    }

    @Test(arguments: [false, true])
    func theOrderOfTwoObjectsDoesNotDecide(isNewFirst: Bool) async throws {
        let result = try await race(.error, resolving: .objectTrump) { context, product in
            if isNewFirst { try Self.make(context, "C3", "new") }
            try product.setValue(.string("C3"), forKey: "code")
            if !isNewFirst { try Self.make(context, "C3", "new") }
        } elsewhere: { _, product in
            try product.setValue(.string("theirs"), forKey: "title")
        }
        #expect(result == nil)
    }

    @Test func theAnswerForTheWinnerDecidesAboutTheStoredHolder() async throws {
        try await container.save { try Self.make($0, "K", "held") }
        let result = try await race(.overwrite, resolving: .objectTrump) { context, product in
            try Self.make(context, "K", "new")
            try product.setValue(.string("K"), forKey: "code")
        } elsewhere: { _, product in
            try product.setValue(.string("theirs"), forKey: "title")
        }
        #expect(result == nil)
        #expect(try await ProductModel.titles(container) == ["held", "theirs"])
    }

    /// A save is planned again when the store finds a key that the planner has not compared.
    @Test func aProgramIsAskedOnceAlsoWhenTheSaveIsPlannedAgain() async throws {
        let (folder, container) = try await PersistentContainer.open(entities: Self.owners)
        let background = container.newBackgroundContext(mergePolicy: .storeTrump)
        let id = try await background.perform { context in
            let owner = try context.insert("Owner", ["code": .string("A")])
            try context.insert("Item", ["name": .string("x"), "owner": .reference(owner.uniqueID)])
            let other = try context.insert("Item", ["name": .string("other")])
            try context.save()
            try other.setValue(.string("mine"), forKey: "note")
            return other.objectID
        }
        try await container.save { try $0.existingObject(with: id).setValue(.string("theirs"), forKey: "note") }
        try await background.perform { context in
            let owner = try context.insert("Owner", ["code": .string("A")])
            try context.insert("Item", ["name": .string("x"), "owner": .reference(owner.uniqueID)])
            let item = try context.existingObject(with: id)
            context.resolveConflict = { object, _ in
                try object.setValue(.string("\(try object.text("note"))+"), forKey: "note")
                return .objectTrump
            }
            defer { context.resolveConflict = nil }
            try context.save()
            #expect(try item.text("note") == "mine+")
        }
        _ = folder
    }

    // MARK: Keys that only the store knows

    private static let owners = """
        Owner: {attributes: {code: String?}, unique: [code]}
        Item:
          attributes: {name: String?, note: String?}
          unique: [[owner, name]]
          relationships: {owner: {to: Owner?}}
        """

    @Test func aStoredObjectThatTakesANewOneTakesNoKeyOfAThird() async throws {
        for (code, serial) in [("A1", "1"), ("B2", "2")] {
            try await container.save { context in
                _ = try context.insert(
                    "Product",
                    ["code": .string(code), "country": .string("CH"), "serial": .string(serial)]
                )
            }
        }
        await #expect(throws: ConflictError.self) {
            try await container.newBackgroundContext(mergePolicy: .objectTrump).save { context in
                _ = try context.insert(
                    "Product",
                    ["code": .string("A1"), "country": .string("CH"), "serial": .string("2")]
                )
            }
        }
        let count = try await container.performBackgroundTask { try $0.count(for: FetchRequest("Product")) }
        #expect(count == 2, "no object is hidden behind a key of another")
    }

    /// The save redirects the reference to the stored owner, and the older item then has the key of the younger.
    @Test(arguments: [MergePolicy.objectTrump, .storeTrump])
    func aKeyWithAReferenceToAReplacedObject(_ policy: MergePolicy) async throws {
        let (folder, container) = try await PersistentContainer.open(entities: Self.owners)
        let first = try await container.save { context in
            try context.insert("Item", ["name": .string("x")]).objectID
        }
        try await container.save { context in
            let owner = try context.insert("Owner", ["code": .string("A")])
            _ = try context.insert("Item", ["name": .string("x"), "owner": .reference(owner.uniqueID)])
        }
        let isRefused = try await container.newBackgroundContext(mergePolicy: policy).perform { context in
            let owner = try context.insert("Owner", ["code": .string("A")])
            try context.existingObject(with: first).setValue(.reference(owner.uniqueID), forKey: "owner")
            do {
                try context.save()
                return false
            } catch is ConflictError {
                return true
            }
        }
        #expect(isRefused == (policy == .objectTrump))
        let count = try await container.performBackgroundTask { try $0.count(for: FetchRequest("Item")) }
        #expect(count == 2, "no object is hidden behind a key of another")
        _ = folder
    }

    @Test func aKeyThatIsDerived() async throws {
        let (folder, container) = try await PersistentContainer.open(
            entities: """
                Tag:
                  attributes:
                    name: String?
                    folded: {type: String, optional: true, derived: 'canonical:(name)'}
                  unique: [folded]
                """
        )
        let first = try await container.save { try $0.insert("Tag", ["name": .string("Alpha")]).objectID }
        try await container.save { _ = try $0.insert("Tag", ["name": .string("Beta")]) }
        await #expect(throws: ConflictError.self) {
            try await container.save { try $0.existingObject(with: first).setValue(.string("beta"), forKey: "name") }
        }
        let count = try await container.performBackgroundTask { try $0.count(for: FetchRequest("Tag")) }
        #expect(count == 2, "no object is hidden behind a key of another")
        _ = folder
    }

    @Test(arguments: [MergePolicy.error, .overwrite])
    func aKeyOfWhichTheStoreKeepsTheGreatestValue(_ policy: MergePolicy) async throws {
        let (folder, container) = try await PersistentContainer.open(
            entities: """
                Mark:
                  attributes: {level: {type: Integer 64, optional: true, merge: max}}
                  unique: [level]
                """
        )
        let levels = try await container.newBackgroundContext(mergePolicy: policy).perform { context in
            let high = try context.insert("Mark", ["level": .integer(7)])
            try context.insert("Mark", ["level": .integer(5)])
            try context.save()
            try high.setValue(.integer(5), forKey: "level")
            try context.save()
            return try context.fetch(FetchRequest("Mark", sortKeys: [SortKey("level")])).map {
                try $0.value(forKey: "level")
            }
        }
        #expect(levels == [.integer(5), .integer(7)])
        _ = folder
    }
}

import Tributary

extension PersistentContainer {
    /// Runs a block with a new background context, and saves.
    @discardableResult
    func save<T: Sendable>(_ block: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await performBackgroundTask { try $0.saving(block) }
    }
}

extension BackgroundContext {
    /// Runs a block with the context, and saves.
    @discardableResult
    func save<T: Sendable>(_ block: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await perform { try $0.saving(block) }
    }
}

extension ChildContext {
    /// Runs a block with the context, and saves into its parent.
    @discardableResult
    func save<T: Sendable>(_ block: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await perform { try $0.saving(block) }
    }
}

extension ManagedObjectContext {
    fileprivate func saving<T>(_ block: (ManagedObjectContext) throws -> T) throws -> T {
        let result = try block(self)
        try save()
        return result
    }

    /// A new object with these values.
    @discardableResult
    func insert(_ entity: String, _ values: KeyValuePairs<String, PropertyValue>) throws -> ManagedObject {
        let object = try insert(entity: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }
}

extension ManagedObject {
    /// The text of an attribute; a hyphen where it has none.
    func text(_ key: String) throws -> String {
        if case .string(let text) = try value(forKey: key) { text } else { "-" }
    }
}

extension ManagedObjectID {
    /// The ID of an object of an entity without a parent.
    init(_ entity: String, _ uniqueID: UniqueID, store: String = "company") {
        self.init(store: store, entity: entity, rootEntity: entity, uniqueID: uniqueID)
    }
}

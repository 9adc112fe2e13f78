extension PersistentContainer {
    /// Inserts objects on a new background context.
    ///
    /// See ``ManagedObjectContext/execute(_:)-(BatchInsertRequest)``.
    @discardableResult
    public func execute(_ request: BatchInsertRequest, mergePolicy: MergePolicy = .error) async throws -> BatchResult {
        try await newBackgroundContext(name: "batch", mergePolicy: mergePolicy).perform { try $0.execute(request) }
    }

    /// Updates objects on a new background context.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest, mergePolicy: MergePolicy = .error) async throws -> BatchResult {
        try await newBackgroundContext(name: "batch", mergePolicy: mergePolicy).perform { try $0.execute(request) }
    }

    /// Deletes objects on a new background context.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) async throws -> BatchResult {
        try await newBackgroundContext(name: "batch").perform { try $0.execute(request) }
    }
}

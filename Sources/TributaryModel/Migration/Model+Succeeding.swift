extension Model {
    /// This model as the successor of others, the oldest first, for models that do not come from an `.xcdatamodeld`.
    ///
    /// ```swift
    /// let model = try Model(contentsOf: "company-3.yaml").succeeding([
    ///     try Model(contentsOf: "company-1.yaml"), try Model(contentsOf: "company-2.yaml"),
    /// ])
    /// ```
    public func succeeding(_ earlier: [Model]) -> Model {
        var model = self
        model.earlier = ModelVersions(earlier)
        return model
    }
}

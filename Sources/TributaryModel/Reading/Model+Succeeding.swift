extension Model {
    /// Returns this model as the successor of older versions, the oldest first, for models that are not in an
    /// `.xcdatamodeld`.
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

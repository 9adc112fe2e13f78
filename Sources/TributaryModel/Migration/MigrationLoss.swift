/// Values that objects have in an older version of a model and that nothing of the newer one takes over.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the older version.
    public var entity: String
    /// The property, nil when the entity itself is gone.
    public var property: String?
    /// How many values, or objects.
    public var count: Int

    package init(entity: String, property: String?, count: Int) {
        self.entity = entity
        self.property = property
        self.count = count
    }

    /// The loss in words, such as `Employee.salary: 12 values`.
    public var description: String {
        guard let property else { return "\(entity): \(count) object\(count == 1 ? "" : "s")" }
        return "\(entity).\(property): \(count) value\(count == 1 ? "" : "s")"
    }
}

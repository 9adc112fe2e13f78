/// Values in the store that no property of the newer model version takes over as they are.
public struct MigrationLoss: Sendable, Hashable, CustomStringConvertible {
    /// The entity's name in the older version.
    public var entity: String
    /// The property; nil when the entity itself is removed.
    public var property: String?
    /// The number of values, or of objects.
    public var count: Int
    /// Whether the values are rounded to those of the property's new type; otherwise they are dropped.
    public var isRounding = false

    package init(entity: String, property: String?, count: Int, isRounding: Bool = false) {
        self.isRounding = isRounding
        self.entity = entity
        self.property = property
        self.count = count
    }

    /// A text such as `Employee.salary: 12 values`, or `Employee.salary: 1 value rounded`.
    public var description: String {
        guard let property else { return "\(entity): \(count) object\(count == 1 ? "" : "s")" }
        return "\(entity).\(property): \(count) value\(count == 1 ? "" : "s")" + (isRounding ? " rounded" : "")
    }
}

/// A relationship of an entity, as the model states it.
public struct Relationship: Sendable, Hashable {
    /// The name; that of the store's column when it is to-one.
    public var name: String
    /// The entity of the objects at the other end.
    public var destination: String
    /// The relationship of the destination that leads back; nil when there is none.
    public var inverse: String?
    /// Whether it leads to any number of objects.
    public var isToMany = false
    /// Whether the objects of a to-many relationship have an order.
    public var isOrdered = false
    /// Whether an object may be saved while it leads nowhere.
    public var isOptional = false
    /// How many objects there must be, unless it is optional and there is none.
    public var minimumCount = 0
    /// How many objects there may be; 0 when there is no limit.
    public var maximumCount = 0
    /// What deleting an object does to those at the other end.
    public var deleteRule: DeleteRule = .nullify
    /// The name the relationship had in the model version before.
    public var renamingIdentifier: String?
    /// Words that make the version hash another one, for a change that the model does not show.
    public var versionHashModifier: String?
    /// Further words of the model about it.
    public var userInfo: [String: String] = [:]

    /// A to-one relationship with delete rule Nullify until it is said otherwise.
    public init(name: String, destination: String, inverse: String? = nil) {
        self.name = name
        self.destination = destination
        self.inverse = inverse
    }
}

package import TributaryChanges

extension Relationship {
    /// The value that `json` stands for in this to-one relationship; nil when it is no UUID, or the relationship is
    /// to-many (pairs are linked, not written).
    package func value(from json: JSONValue) -> PropertyValue? {
        guard !isToMany else { return nil }
        switch json {
        case .null: return .null
        case .string(let text): return UniqueID(text).map(PropertyValue.reference)
        default: return nil
        }
    }

    /// The JSON form of a value of this relationship, as the log and the admin interface write it.
    package func json(for value: PropertyValue) -> JSONValue { value.json }
}

extension Property {
    /// The value that `json` stands for in this property; nil when the model cannot represent it (the store parks it).
    package func value(from json: JSONValue) -> PropertyValue? {
        switch self {
        case .attribute(let attribute): attribute.value(from: json)
        case .relationship(let relationship, _): relationship.value(from: json)
        }
    }
}

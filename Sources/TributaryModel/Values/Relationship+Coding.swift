package import TributaryChanges

extension Relationship {
    /// Returns the value of `json` in this to-one relationship; nil when it is no UUID, or when the relationship is
    /// to-many, whose pairs are linked instead of written.
    package func value(from json: JSONValue) -> PropertyValue? {
        guard !isToMany else { return nil }
        switch json {
        case .null: return .null
        case .string(let text): return UniqueID(text).map(PropertyValue.reference)
        default: return nil
        }
    }

    package func json(for value: PropertyValue) -> JSONValue { value.json }
}

extension Property {
    /// Returns the value of `json` in this property; nil when the model cannot represent it, in which case the store
    /// defers the write.
    package func value(from json: JSONValue) -> PropertyValue? {
        switch self {
        case .attribute(let attribute): attribute.value(from: json)
        case .relationship(let relationship, _): relationship.value(from: json)
        }
    }
}

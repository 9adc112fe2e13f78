import TributaryModel

/// What may be done with a property by name; an object asks each time, so it is found out once for the entity.
enum PropertyRole: Sendable {
    case attribute(AttributeType)
    /// Computed at save: it can be read alone.
    case derived
    case toOne
    case toMany

    init(_ property: Property) {
        switch property {
        case .attribute(let attribute):
            self = attribute.derivationExpression == nil ? .attribute(attribute.type) : .derived
        case .relationship(let relationship, _):
            self = relationship.isToMany ? .toMany : .toOne
        }
    }
}

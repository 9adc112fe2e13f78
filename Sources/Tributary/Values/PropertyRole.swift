import TributaryModel

/// How a property can be read and set by name; it is computed once for the entity, because each access needs it.
enum PropertyRole: Sendable {
    case attribute(AttributeType)
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

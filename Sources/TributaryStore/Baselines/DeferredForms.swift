import TributaryChanges
import TributaryModel

/// The canonical forms of deferred values in a baseline.
///
/// A store whose former model had a property knows its values in another spelling than a store that never had it, and
/// without their index. What stays undecided for a store that knows no former model with the property is kept as it was
/// written: a form that unites more values, as in digests, would lose the type of a value.
struct DeferredForms {
    let layout: StoreModel

    /// Whether the index of a value in its transaction decides something: for owners in one-to-one relationships.
    func needsIndex(_ value: JSONValue, _ property: String, of entity: String) -> Bool {
        guard case .string(let text) = value, UniqueID(text) != nil else { return false }
        guard let former = layout.formerProperty(named: property, of: entity) else { return true }
        guard let relationship = former.relationship, !relationship.isToMany else { return false }
        guard let inverse = relationship.inverse else { return false }
        let known = layout.entity(named: relationship.destination)?.entity.property(named: inverse)
        let other = known ?? layout.formerProperty(named: inverse, of: relationship.destination)
        return other?.relationship?.isToMany == false
    }

    /// The value in the spelling of the former property, where there was one, with the members of objects in order.
    func canonical(_ value: JSONValue, _ property: String, of entity: String) -> JSONValue {
        let former = layout.formerProperty(named: property, of: entity)
        if former?.relationship != nil, case .string(let text) = value, let id = UniqueID(text) {
            return .string(id.description)
        }
        return value.inKeyOrder
    }
}

extension JSONValue {
    /// The value with the members of all objects in the order of their keys.
    var inKeyOrder: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.inKeyOrder))
        case .object(let members):
            .object(
                members.sorted { $0.key.precedesByBytes($1.key) }
                    .map { JSONMember(key: $0.key, value: $0.value.inKeyOrder) }
            )
        case .integer, .double, .number, .string, .boolean, .null, .unrepresentable: self
        }
    }
}

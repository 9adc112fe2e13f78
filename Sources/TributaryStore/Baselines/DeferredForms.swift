import TributaryChanges
import TributaryModel

/// The forms of deferred values in a baseline: the same bytes for stores that know the same former models.
///
/// A former model says that a text is the target of a relationship, which is written as a UUID in lower case. Every
/// other value keeps its type and its digits, and the members of objects are in order. The form of digests would not
/// do: it is the same for values of several types, and a later model needs to know the type.
struct DeferredForms {
    let layout: StoreModel

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

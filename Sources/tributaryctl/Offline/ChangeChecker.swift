import TransactionLog
import TributaryChanges
import TributaryModel

/// Holds changes against a model: entities, properties and the types of values.
struct ChangeChecker {
    let model: Model

    /// Why the model cannot take the change; nil when it can.
    func fault(in change: ParsedChange) -> String? {
        guard let entity = model.entity(named: change.entity) else {
            return "the model has no entity '\(change.entity)'"
        }
        guard change.verb != .insert || !entity.isAbstract else { return "the entity '\(entity.name)' is abstract" }
        switch change.verb {
        case .insert, .update:
            for write in change.writes {
                if let fault = fault(in: write, of: entity, isInsert: change.verb == .insert) { return fault }
            }
            return nil
        case .delete: return nil
        case .link, .unlink: return fault(inRelationship: change.relationship ?? "", of: entity, change)
        }
    }

    private func fault(in write: PropertyWrite, of entity: Entity, isInsert: Bool) -> String? {
        let place = "\(entity.name).\(write.name)"
        switch entity.property(named: write.name) {
        case nil: return "the model has no property '\(place)'"
        case .attribute(let attribute)?:
            guard attribute.isStored else { return "'\(place)' is transient: it is not stored" }
            if write.value == .null { return attribute.isOptional ? nil : "'\(place)' is mandatory, not null" }
            if attribute.mergeRule == .counter {
                return counterFault(write.value, of: attribute, place: place, isInsert: isInsert)
            }
            guard attribute.value(from: write.value) == nil else { return nil }
            return "'\(place)' is of type \(attribute.type.rawValue); \(write.value.short) is none"
        case .relationship(let relationship, _)?:
            guard !relationship.isToMany else { return "'\(place)' is to-many: use link and unlink" }
            if write.value == .null { return nil }
            guard relationship.value(from: write.value) == nil else { return nil }
            return "'\(place)' is a relationship; \(write.value.short) is no UUID"
        }
    }

    private func counterFault(
        _ value: JSONValue,
        of attribute: Attribute,
        place: String,
        isInsert: Bool
    ) -> String? {
        if let increment = value["increment"] {
            return attribute.value(from: increment) == nil ? "the increment of '\(place)' is \(increment.short)" : nil
        }
        guard isInsert, attribute.value(from: value) != nil else {
            return "'\(place)' is a counter: write {\"increment\":N}"
        }
        return nil
    }

    private func fault(inRelationship name: String, of entity: Entity, _ change: ParsedChange) -> String? {
        guard let relationship = entity.property(named: name)?.relationship else {
            return "the model has no relationship '\(entity.name).\(name)'"
        }
        guard relationship.isToMany else { return "'\(entity.name).\(name)' is to-one: write it as a value" }
        guard change.positions == nil || relationship.isOrdered else {
            return "'\(entity.name).\(name)' is not ordered"
        }
        return nil
    }
}

extension JSONValue {
    /// The value as it stands in a message.
    fileprivate var short: String {
        let text = text
        return text.count > 60 ? "\(text.prefix(60))…" : text
    }
}

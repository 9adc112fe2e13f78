import TransactionLog
import TributaryChanges
import TributaryInference
import TributaryModel

/// Checks changes against a model: entities, properties and the types of values.
struct ChangeChecker {
    struct Fault: Hashable {
        var entity: String
        var object: UniqueID?
        var property: String?
        var value: JSONValue?
        var reason: String
    }

    let model: Model
    private let formerNames: FormerNames

    init(model: Model) {
        self.model = model
        formerNames = FormerNames(of: model, histories: [model.earlier])
    }

    func entity(named name: String) -> Entity? {
        model.entity(named: name) ?? formerNames.entity(name).flatMap { model.entity(named: $0) }
    }

    func propertyName(_ name: String, of entity: Entity) -> String {
        entity.propertyIndex(named: name) == nil ? formerNames.property(name, of: entity.name) ?? name : name
    }

    func faults(in change: ParsedChange) -> [Fault] {
        func fault(_ reason: String, property: String? = nil, value: JSONValue? = nil) -> Fault {
            Fault(entity: change.entity, object: change.id, property: property, value: value, reason: reason)
        }
        guard let entity = entity(named: change.entity) else {
            return [fault("the model has no entity '\(change.entity)'")]
        }
        guard change.verb != .insert || !entity.isAbstract else {
            return [fault("the entity '\(entity.name)' is abstract")]
        }
        switch change.verb {
        case .insert, .update:
            return change.writes.compactMap { write in
                reason(against: write, of: entity, isInsert: change.verb == .insert)
                    .map { fault($0, property: write.name, value: write.value) }
            }
        case .delete: return []
        case .link, .unlink:
            let name = change.relationship ?? ""
            return reason(against: change, relationship: name, of: entity).map { [fault($0, property: name)] } ?? []
        }
    }

    private func reason(against write: PropertyWrite, of entity: Entity, isInsert: Bool) -> String? {
        var write = write
        write.name = propertyName(write.name, of: entity)
        if let reason = entity.deferralReason(of: write, isInsert: isInsert) { return reason }
        guard write.value == .null, let attribute = entity.property(named: write.name)?.attribute,
            !attribute.isOptional
        else { return nil }
        return "'\(entity.name).\(write.name)' is mandatory, not null"
    }

    private func reason(against change: ParsedChange, relationship name: String, of entity: Entity) -> String? {
        let name = propertyName(name, of: entity)
        if let reason = entity.deferralReason(ofLinkTo: name) { return reason }
        guard change.positions == nil || entity.property(named: name)?.relationship?.isOrdered == true else {
            return "'\(entity.name).\(name)' is not ordered"
        }
        return nil
    }
}

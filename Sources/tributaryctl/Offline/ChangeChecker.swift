import TransactionLog
import TributaryChanges
import TributaryModel

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

/// A later change of the transaction may set these properties.
struct MandatoryCheck {
    /// Objects of different root entities are different, even with equal UUIDs.
    struct Object: Hashable {
        var root: String
        var id: UniqueID
    }

    struct Insertion {
        var line: Int
        var entity: Entity
        var missing: Set<String>
    }

    let checker: ChangeChecker
    private(set) var insertions: [Object: Insertion] = [:]

    mutating func add(_ change: Change, line: Int) {
        guard let entity = checker.entity(named: change.entity) else { return }
        let object = Object(root: entity.root, id: change.id)
        switch change.operation {
        case .insert(let writes):
            guard !entity.isAbstract else { return }
            let missing = Set(entity.propertiesToBeGiven)
            guard !missing.isEmpty else { return }
            insertions[object] = Insertion(line: line, entity: entity, missing: missing)
            markSet(writes, of: object)
        case .update(let writes): markSet(writes, of: object)
        case .link(let name, let ids, _): markSet(ids, linkedFrom: entity, name)
        case .delete, .unlink: break
        }
    }

    mutating func finish() -> [(line: Int, fault: ChangeChecker.Fault)] {
        defer { insertions = [:] }
        return insertions.sorted { $0.value.line < $1.value.line }.flatMap { object, insertion in
            insertion.missing.sorted().map { name in
                let reason = "'\(insertion.entity.name).\(name)' is mandatory; the object is inserted without it"
                return (
                    insertion.line,
                    ChangeChecker.Fault(
                        entity: insertion.entity.name,
                        object: object.id,
                        property: name,
                        reason: reason
                    )
                )
            }
        }
    }

    private mutating func markSet(_ writes: [PropertyWrite], of object: Object) {
        guard let entity = insertions[object]?.entity else { return }
        // A null value is a fault of its own, which is reported with its line.
        for write in writes { insertions[object]?.missing.remove(checker.propertyName(write.name, of: entity)) }
    }

    private mutating func markSet(_ ids: [UniqueID], linkedFrom entity: Entity, _ name: String) {
        guard
            let relationship = entity.property(named: checker.propertyName(name, of: entity))?.relationship,
            let inverse = relationship.inverse,
            let root = checker.model.entity(named: relationship.destination)?.root
        else { return }
        for id in ids { insertions[Object(root: root, id: id)]?.missing.remove(inverse) }
    }
}

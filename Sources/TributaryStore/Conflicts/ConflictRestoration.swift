package import TributaryChanges
import TributaryModel

package struct ConflictRestoration {
    package struct Refusal: Error, Hashable {
        package var reason: String
    }

    private let reader: Reader
    private let conflict: Conflict

    package init(_ conflict: Conflict, reader: Reader) {
        self.conflict = conflict
        self.reader = reader
    }

    private var layout: StoreModel { reader.context.layout }
    private var subject: String { "\(conflict.entity) \(conflict.id)" }

    package func change() throws -> Change {
        switch conflict.rule {
        case .property(let rule) where rule.isBound:
            throw Refusal(
                reason: "the property '\(conflict.property)' has the merge rule \(rule.rawValue), under which "
                    + "the other value wins over every later write"
            )
        case .uniqueness:
            var other = ""
            if case .string(let id)? = conflict.winning.value { other = " \(conflict.entity) \(id)" }
            throw Refusal(
                reason: "\(subject) is not lost: it is shown again when the object\(other) has another value of "
                    + "'\(conflict.property)', or is deleted"
            )
        case .property, .deletion, .oneToOne: break
        }
        guard let value = conflict.losing.value else {
            throw Refusal(reason: "the value was too long for the conflict journal, which has not kept it")
        }
        guard let entity = layout.entity(named: conflict.entity) else {
            throw Refusal(reason: "the model no longer has the entity '\(conflict.entity)'")
        }
        let row = try reader.row(conflict.id, rootEntity: layout.tables[entity.table].root.name)
        let present = row?.entity ?? entity.entity
        guard let property = present.properties.first(where: { $0.name == conflict.property }) else {
            throw Refusal(reason: "the entity '\(present.name)' has no property '\(conflict.property)'")
        }
        if property.attribute?.derivationExpression != nil {
            throw Refusal(reason: "the property '\(conflict.property)' is derived from others")
        }
        guard row != nil else {
            try checkShadow(entity)
            return try insert(value, entity)
        }
        if conflict.kind == .link { return try link(value, present) }
        let write = PropertyWrite(name: conflict.property, value: value)
        return Change(entity: present.name, id: conflict.id, operation: .update([write]))
    }

    private func checkShadow(_ entity: EntityLayout) throws {
        let partial = try PartialRowTable(reader.database, layout: layout).row(entity.table, conflict.id)
        guard let representative = partial?.shadow?.representative else { return }
        throw Refusal(
            reason: "\(subject) is not shown, because \(representative) has one of its unique keys; change that "
                + "object's key first"
        )
    }

    private func link(_ value: JSONValue, _ entity: Entity) throws -> Change {
        let isLink = value["link"] != nil
        guard case .string(let text)? = value["link"] ?? value["unlink"], let id = UniqueID(text) else {
            throw Refusal(reason: "the journal's value '\(value.text)' is not a link")
        }
        let target = entity.properties.first { $0.name == conflict.property }?.relationship
        if isLink, let target, try !isVisible(id, entity: target.destination) {
            throw Refusal(reason: "the other end of the link, \(target.destination) \(id), is deleted")
        }
        var positions: [String]?
        if case .string(let position)? = value["position"] { positions = [position] }
        let operation = Change.Operation(to: conflict.property, ids: [id], positions: positions, isLink: isLink)
        return Change(entity: entity.name, id: conflict.id, operation: operation)
    }

    private func insert(_ value: JSONValue, _ layout: EntityLayout) throws -> Change {
        guard conflict.rule == .deletion, conflict.kind == .value else {
            throw Refusal(reason: "\(subject) is deleted; only an edit that its deletion has taken away brings it back")
        }
        var values: [String: JSONValue] = [:]
        for member in try knownValues(layout) {
            guard let property = layout.entity.properties.first(where: { $0.name == member.key }),
                property.attribute?.mergeRule != .counter, property.attribute?.derivationExpression == nil,
                let known = property.value(from: member.value)
            else { continue }
            if case .reference(let target) = known, let relationship = property.relationship,
                try !isVisible(target, entity: relationship.destination)
            {
                continue
            }
            values[member.key] = member.value
        }
        values[conflict.property] = value
        let writes = values.sorted { $0.key < $1.key }.map { PropertyWrite(name: $0.key, value: $0.value) }
        return Change(entity: layout.entity.name, id: conflict.id, operation: .insert(writes))
    }

    /// The last value of a property is used, so the best source comes last.
    private func knownValues(_ entity: EntityLayout) throws -> [JSONMember] {
        var members = try PreservedValueTable(db: reader.database, layout: layout)
            .values(of: conflict.id, table: entity.table)
        if case .object(let lost)? = conflict.object { members += lost }
        if let partial = try PartialRowTable(reader.database, layout: layout).row(entity.table, conflict.id) {
            let columns = layout.tables[entity.table].columns
            members += partial.registers.map { JSONMember(key: columns[$0.key].property, value: $0.value.value.json) }
        }
        return try members + reader.conflicts.values(lostWith: conflict)
    }

    private func isVisible(_ id: UniqueID, entity name: String) throws -> Bool {
        guard let entity = layout.entity(named: name) else { return false }
        return try reader.row(id, rootEntity: layout.tables[entity.table].root.name) != nil
    }
}

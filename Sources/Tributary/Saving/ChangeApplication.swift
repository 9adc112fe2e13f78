package import TributaryChanges
import TributaryModel
import TributaryStore

/// Applies changes that are given as log operations.
struct ChangeApplication {
    let context: ManagedObjectContext

    /// Applies the next change of the save.
    func apply(_ conditional: ConditionalChange) throws(ChangeError) -> ManagedObjectID {
        var terms = exchange(&context.saving.request, with: nil) ?? RequestConditions()
        defer { context.saving.request = terms }
        let index = terms.objects.count
        let object = try apply(conditional.change, &terms, at: index)
        if case .link(let name, let targets, let positions?) = conditional.change.operation {
            try setPositions(positions, of: targets, in: name, of: object, &terms, at: index)
        }
        let id = object.objectID
        if let expected = conditional.ifVersion {
            let found = object.rowRevision
            guard found == expected else {
                throw ChangeError(index: index, reason: .versionMoved(id, expected: expected, found: found))
            }
            terms.versions[id] = expected
        }
        terms.objects.append(id)
        return id
    }

    private func apply(
        _ change: Change,
        _ terms: inout RequestConditions,
        at index: Int
    ) throws(ChangeError) -> ManagedObject {
        guard let descriptor = context.schema.descriptor(named: change.entity) else {
            throw ChangeError(index: index, reason: .unknownEntity(change.entity))
        }
        switch change.operation {
        case .insert(let writes):
            let object = try insert(change, descriptor, at: index)
            for write in writes { try apply(write, to: object, &terms, at: index) }
            return object
        case .update(let writes):
            let object = try existing(change.id, descriptor, at: index)
            for write in writes { try apply(write, to: object, &terms, at: index) }
            return object
        case .delete:
            let object = try existing(change.id, descriptor, at: index)
            context.delete(object)
            return object
        case .link(let name, let ids, _): return try link(change, descriptor, name, ids, isLinked: true, at: index)
        case .unlink(let name, let ids): return try link(change, descriptor, name, ids, isLinked: false, at: index)
        }
    }

    private func insert(_ change: Change, _ descriptor: EntityDescriptor, at index: Int) throws(ChangeError)
        -> ManagedObject
    {
        guard !descriptor.entity.isAbstract else {
            throw ChangeError(index: index, reason: .abstractEntity(descriptor.entity.name))
        }
        do throws(ContextError) {
            if try context.reader.row(change.id, descriptor) != nil {
                throw ContextError.duplicateID(descriptor.objectID(change.id))
            }
            return try context.insert(entity: descriptor.entity.name, id: change.id)
        } catch .duplicateID(let id) {
            throw ChangeError(index: index, reason: .duplicateID(id))
        } catch {
            throw ChangeError(index: index, reason: .context(error))
        }
    }

    /// Returns the object of a change; it is of the change's entity or a sub-entity.
    private func existing(_ id: UniqueID, _ descriptor: EntityDescriptor, at index: Int) throws(ChangeError)
        -> ManagedObject
    {
        let objectID = descriptor.objectID(id)
        // The ID may name another entity of the inheritance; the row has the object's own entity.
        let row: Row?
        do throws(ContextError) {
            row = try context.reader.row(id, descriptor)
        } catch {
            throw ChangeError(index: index, reason: .context(error))
        }
        let known = context.registry.object(id, rootIndex: descriptor.rootIndex)
        let object = known?.state == .inserted ? known : row.map { context.object(for: $0) }
        guard let object, object.state != .deleted, object.state != .gone,
            object.descriptor.entity.isKind(of: descriptor.entity.name)
        else { throw ChangeError(index: index, reason: .notFound(objectID)) }
        return object
    }

    private func apply(
        _ write: PropertyWrite,
        to object: ManagedObject,
        _ terms: inout RequestConditions,
        at index: Int
    ) throws(ChangeError) {
        let entity = object.descriptor.entity
        guard let propertyIndex = entity.propertyIndex(named: write.name) else {
            throw ChangeError(index: index, reason: .unknownProperty(entity: entity.name, property: write.name))
        }
        let property = entity.properties[propertyIndex]
        if let attribute = property.attribute, attribute.mergeRule == .counter,
            var amount = write.value["increment"].flatMap(CounterTotals.number)
        {
            var fits = !attribute.type.isInteger
            if case .integer(let whole) = amount {
                if fits { amount = .double(Double(whole)) }
                fits = true
            }
            if fits { return increment(object, propertyIndex, by: amount, &terms) }
        }
        guard let value = property.value(from: write.value), property.attribute?.isStored ?? true else {
            throw wrongValue(entity, property, write.value, at: index)
        }
        if property.attribute?.derivationExpression != nil {
            // Setting the current value changes nothing.
            guard object.read(propertyIndex) != value else { return }
            throw ChangeError(
                index: index,
                reason: .wrongValue(
                    entity: entity.name,
                    property: property.name,
                    expected: "no value, because it is derived",
                    found: write.value.kind
                )
            )
        }
        guard let relationship = property.relationship else { return object.write(value, propertyIndex) }
        switch value {
        case .reference(let target): object.setRelated(try self.target(target, relationship, at: index), propertyIndex)
        default: object.setRelated(nil, propertyIndex)
        }
    }

    private func increment(
        _ object: ManagedObject,
        _ propertyIndex: Int,
        by amount: PropertyValue,
        _ terms: inout RequestConditions
    ) {
        guard amount != .integer(0), amount != .double(0) else { return }
        let (key, old) = (RelationshipDelta.Key(object, propertyIndex), object.read(propertyIndex))
        var increment = RequestConditions.Increment(before: old, sum: amount, shown: old)
        if let known = terms.increments[key], known.shown == old {
            increment = known
            increment.sum = CounterTotals.sum(known.sum, amount)
        }
        let start = increment.before == .null ? nil : increment.before
        increment.shown = CounterTotals.value(of: [start, increment.sum].compactMap(\.self)) ?? amount
        object.write(increment.shown, propertyIndex)
        terms.increments[key] = increment
        // The value that it shows may be too large to change.
        object.changed.insert(propertyIndex)
        context.recordEdit(of: object)
    }

    private func link(
        _ change: Change,
        _ descriptor: EntityDescriptor,
        _ name: String,
        _ ids: [UniqueID],
        isLinked: Bool,
        at index: Int
    ) throws(ChangeError) -> ManagedObject {
        let object = try existing(change.id, descriptor, at: index)
        guard let propertyIndex = object.descriptor.propertyIndex(named: name) else {
            throw ChangeError(index: index, reason: .unknownProperty(entity: descriptor.entity.name, property: name))
        }
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship, relationship.isToMany
        else {
            let reason = ChangeError.Reason.wrongValue(
                entity: descriptor.entity.name,
                property: name,
                expected: "a value",
                found: "a link"
            )
            throw ChangeError(index: index, reason: reason)
        }
        for id in ids {
            let target = try target(id, relationship, at: index)
            if isLinked { object.link(target, propertyIndex) } else { object.unlink(target, propertyIndex) }
        }
        return object
    }

    private func target(
        _ id: UniqueID,
        _ relationship: Relationship,
        at index: Int
    ) throws(ChangeError) -> ManagedObject {
        guard let descriptor = context.schema.descriptor(named: relationship.destination) else {
            throw ChangeError(index: index, reason: .unknownEntity(relationship.destination))
        }
        return try existing(id, descriptor, at: index)
    }

    private func wrongValue(
        _ entity: Entity,
        _ property: Property,
        _ value: JSONValue,
        at index: Int
    ) -> ChangeError {
        let expected =
            switch property {
            case .attribute(let attribute): attribute.type.rawValue
            case .relationship(let relationship, _):
                relationship.isToMany ? "links" : "the UUID of an object of \(relationship.destination)"
            }
        return ChangeError(
            index: index,
            reason: .wrongValue(entity: entity.name, property: property.name, expected: expected, found: value.kind)
        )
    }
}

/// A change as a log operation that is applied only if the object is still at a version.
package struct ConditionalChange: Hashable, Sendable {
    package var change: Change
    package var ifVersion: Int64?

    package init(_ change: Change, ifVersion: Int64? = nil) {
        self.change = change
        self.ifVersion = ifVersion
    }
}

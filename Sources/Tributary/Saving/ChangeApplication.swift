package import TributaryChanges
import TributaryModel
import TributaryStore

struct ChangeApplication {
    let context: ManagedObjectContext

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
        // The shown value may be too large for the addition to change it; then `write` records no edit.
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

/// A change that is applied only if the object is still at a version.
package struct ConditionalChange: Hashable, Sendable {
    package var change: Change
    package var ifVersion: Int64?

    package init(_ change: Change, ifVersion: Int64? = nil) {
        self.change = change
        self.ifVersion = ifVersion
    }
}

extension ChangeApplication {
    /// The relationship shows the order of these positions at once; the save writes the positions unchanged.
    func setPositions(
        _ given: [String],
        of targets: [UniqueID],
        in name: String,
        of owner: ManagedObject,
        _ terms: inout RequestConditions,
        at index: Int
    ) throws(ChangeError) {
        let entity = owner.descriptor.entity.name
        guard let propertyIndex = owner.descriptor.propertyIndex(named: name),
            let relationship = owner.descriptor.entity.properties[propertyIndex].relationship
        else { throw ChangeError(index: index, reason: .unknownProperty(entity: entity, property: name)) }
        func wrong(_ expected: String) -> ChangeError {
            let found = "\(given.count) positions for \(targets.count) IDs"
            return ChangeError(
                index: index,
                reason: .wrongValue(entity: entity, property: name, expected: expected, found: found)
            )
        }
        guard relationship.isOrdered else { throw wrong("links without positions, because it has no order") }
        guard given.count == targets.count else { throw wrong("a position for each ID") }
        guard let destination = context.schema.descriptor(named: relationship.destination) else { return }
        let key = RelationshipDelta.Key(owner, propertyIndex)
        for (target, position) in zip(targets, given) {
            terms.positions[key, default: [:]][destination.objectID(target)] = position
        }
        var positions = terms.positions[key] ?? [:]
        do throws(ContextError) {
            for (id, position) in try storedPositions(of: owner, propertyIndex) where positions[id] == nil {
                positions[id] = position
            }
        } catch {
            throw ChangeError(index: index, reason: .context(error))
        }
        // An object without a position stays at the end.
        let ids = context.relationships.relatedIDs(owner, propertyIndex)
        owner.arrange(ids.ordered(by: positions) + ids.filter { positions[$0] == nil }, propertyIndex)
        // An unchanged order has to be written as well.
        context.pending.delta.setOrder(context.relationships.relatedIDs(owner, propertyIndex), key)
        context.recordEdit(of: owner)
    }

    private func storedPositions(
        of owner: ManagedObject,
        _ propertyIndex: Int
    ) throws(ContextError) -> [(id: ManagedObjectID, position: String)] {
        try context.reader.read {
            try $0.positions(of: owner.uniqueID, entity: owner.descriptor.entity, propertyIndex: propertyIndex)
        }
    }
}

/// The error of the first change that could not be applied.
package struct ChangeError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case unknownEntity(String)
        case abstractEntity(String)
        case unknownProperty(entity: String, property: String)
        case wrongValue(entity: String, property: String, expected: String, found: String)
        case notFound(ManagedObjectID)
        case duplicateID(ManagedObjectID)
        /// `found` is nil when the object was deleted.
        case versionMoved(ManagedObjectID, expected: Int64, found: Int64?)
        case context(ContextError)
    }

    package var index: Int
    package var reason: Reason

    package init(index: Int, reason: Reason) {
        self.index = index
        self.reason = reason
    }

    package var description: String {
        switch reason {
        case .unknownEntity(let name): "the model has no entity '\(name)'"
        case .abstractEntity(let name): "the entity '\(name)' is abstract: it has no objects of its own"
        case .unknownProperty(let entity, let property): "the entity '\(entity)' has no property '\(property)'"
        case .wrongValue(let entity, let property, let expected, let found):
            "\(entity).\(property) takes \(expected), not \(found)"
        case .notFound(let id): "there is no object \(id)"
        case .duplicateID(let id): "there is an object \(id) already"
        case .versionMoved(let id, let expected, let found):
            found.map { "\(id) is at version \($0), not \(expected)" } ?? "\(id) was deleted since version \(expected)"
        case .context(let error): error.description
        }
    }
}

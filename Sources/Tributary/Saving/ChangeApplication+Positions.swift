import TributaryChanges
import TributaryModel
import TributaryStore

extension ChangeApplication {
    /// The relationship shows the linked objects in the order of these positions at once; the save writes them
    /// unchanged.
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

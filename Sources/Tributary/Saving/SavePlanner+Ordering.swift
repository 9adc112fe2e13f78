import TributaryChanges
import TributaryModel
import TributaryStore

extension SavePlanner {
    /// `absorbing` has the stored objects that take the values and places of new objects with the same unique key.
    func orderChanges(
        _ plan: inout SavePlan,
        without dropped: Set<ObjectIdentifier>,
        _ absorbing: [ObjectIdentifier: Row]
    ) throws -> [Change] {
        var changes: [Change] = []
        let keys = context.pending.delta.orderedKeys
        for key in keys.sorted(by: { ($0.id, $0.propertyIndex) < ($1.id, $1.propertyIndex) }) {
            guard let owner = context.relationships.owner(of: key) else { continue }
            // The object of a fault may be gone.
            owner.fire()
            let absorber = absorbing[ObjectIdentifier(owner)]
            guard !owner.state.isDeletion,
                let relationship = owner.descriptor.entity.properties[key.propertyIndex].relationship,
                relationship.isOrdered,
                absorber?.entity.property(named: relationship.name) != nil || owner.row != nil
                    || !dropped.contains(ObjectIdentifier(owner))
            else { continue }
            let (id, entity) = (absorber?.uniqueID ?? owner.uniqueID, absorber?.entity ?? owner.descriptor.entity)
            let stored = try reader.positions(
                of: id,
                entity: entity,
                propertyIndex: absorber?.entity.propertyIndex(named: relationship.name) ?? key.propertyIndex
            )
            let list = SavedList(
                context: context,
                owner: owner,
                key: key,
                register: register(of: relationship),
                isAbsorbed: absorber != nil,
                change: context.pending.delta[key],
                stored: stored.map(\.id),
                positions: Dictionary(stored.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first }),
                dropped: dropped,
                kept: plan.kept,
                absorbing: absorbing
            )
            let placed = list.placed()
            guard !placed.isEmpty else { continue }
            let (ids, positions) = (placed.map(\.id.uniqueID), placed.map(\.position))
            let link = Change.Operation.link(to: relationship.name, ids: ids, positions: positions)
            changes.append(Change(entity: entity.name, id: id, operation: link))
            guard list.register != nil else { continue }
            // The link writes the registers of these objects again.
            for case let object? in placed.map({ context.registeredObject(for: $0.id) }) where object.state == .clean {
                plan.results.append((object, .reread))
            }
        }
        return changes
    }

    private func register(of relationship: Relationship) -> Int? {
        guard let (descriptor, propertyIndex) = context.relationships.inverse(of: relationship),
            case .relationship(_, .column) = descriptor.entity.properties[propertyIndex]
        else { return nil }
        return propertyIndex
    }
}

private struct SavedList {
    let context: ManagedObjectContext
    let owner: ManagedObject
    let key: RelationshipDelta.Key
    let register: Int?
    let isAbsorbed: Bool
    let change: RelationshipDelta.Change?
    let stored: [ManagedObjectID]
    let positions: [ManagedObjectID: String]
    let dropped: Set<ObjectIdentifier>
    let kept: [ObjectIdentifier: Set<Int>]
    let absorbing: [ObjectIdentifier: Row]

    func placed() -> [(id: ManagedObjectID, position: String)] {
        let moves = moves
        let members = members(moves)
        let given = context.saving.request?.positions[key] ?? [:]
        guard !given.isEmpty else {
            let unmoved = positions.filter { id, _ in
                moves?.moved.contains(id) != true && (change?.added[id] == nil || isKept(id))
            }
            return PositionPlan(wanted: members, kept: unmoved).positioned()
        }
        // An object with a given position keeps it; objects without a position go to the end.
        let all = positions.merging(given) { $1 }
        let wanted = members.ordered(by: all) + members.filter { all[$0] == nil }
        return PositionPlan(wanted: wanted, kept: all).positioned()
            + wanted.compactMap { id in given[id].map { (id, $0) } }
    }

    private var moves: RelationshipOrdering? {
        guard !isAbsorbed, !dropped.contains(ObjectIdentifier(owner)) else { return nil }
        return context.pending.delta.orderings[key]?.keeping(isKept)
    }

    /// The moves are applied to the newest list, which the context may not have read.
    private func members(_ moves: RelationshipOrdering?) -> [ManagedObjectID] {
        // An object that is gone in the context may be in the list, because others have inserted it again.
        let shown =
            context.relationships.relatedIDs(owner, key.propertyIndex, stored: stored)
            + stored.filter { context.registeredObject(for: $0) == nil && change?.removed.contains($0) != true }
        var list = stored + shown
        if !isAbsorbed {
            let present = Set(shown)
            list =
                stored.filter { isKept($0) || (present.contains($0) && change?.added[$0] == nil) }
                + (moves?.ids ?? []).filter(isReturning)
                + (change?.addedInOrder ?? []).filter { present.contains($0) && !isKept($0) }
            list = moves?.ordering(list) ?? list
        }
        var seen: Set<ManagedObjectID> = []
        return list.compactMap(member).filter { seen.insert($0).inserted }
    }

    private func member(_ id: ManagedObjectID) -> ManagedObjectID? {
        guard let object = context.registeredObject(for: id) else { return id }
        if let absorber = absorbing[ObjectIdentifier(object)] {
            return positions[absorber.id] == nil ? absorber.id : nil
        }
        // An object that the context has removed stays out, also if others have added it since.
        let isMember = isKept(id) ? positions[id] != nil : !object.state.isDeletion && refersHere(object) != false
        return isMember ? id : nil
    }

    private func isReturning(_ id: ManagedObjectID) -> Bool {
        guard positions[id] == nil, change?.added[id] == nil, !isKept(id),
            let object = context.registeredObject(for: id), !dropped.contains(ObjectIdentifier(object))
        else { return false }
        return refersHere(object) == true
    }

    private func refersHere(_ object: ManagedObject) -> Bool? {
        guard let register, object.changed.contains(register) else { return nil }
        return object.values[register].referencedID == owner.uniqueID
    }

    private func isKept(_ id: ManagedObjectID) -> Bool {
        guard !dropped.isEmpty || !kept.isEmpty, let object = context.registeredObject(for: id),
            absorbing[ObjectIdentifier(object)] == nil
        else { return false }
        let isDropped = dropped.contains(ObjectIdentifier(object))
        guard let register else { return isDropped }
        return (object.changed.contains(register) || object.state == .deleted)
            && (isDropped || kept[ObjectIdentifier(object)]?.contains(register) == true)
    }
}

import TributaryChanges
import TributaryModel

extension ManagedObject {
    /// Inserts an object into an ordered to-many relationship at an index; an object of the relationship moves.
    ///
    /// An index beyond the ends means the nearest end.
    public func insert<Target: ManagedObject>(_ object: Target, into relationship: ToMany<Target>, at index: Int) {
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        attempt(propertyIndex) { () throws(ContextError) in
            try checkLink(object, propertyIndex)
            insert(object, propertyIndex, at: index)
        }
    }

    /// Moves an object of an ordered to-many relationship to its new index.
    public func move<Target: ManagedObject>(_ object: Target, in relationship: ToMany<Target>, to index: Int) {
        if relatedObjects(relationship.propertyIndex(in: descriptor)).contains(object) {
            insert(object, into: relationship, at: index)
        }
    }

    /// Removes and returns the object at an index of a to-many relationship; nil for an invalid index.
    @discardableResult
    public func remove<Target: ManagedObject>(at index: Int, from relationship: ToMany<Target>) -> Target? {
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        let objects = relatedObjects(propertyIndex)
        guard objects.indices.contains(index) else { return nil }
        guard assignLinked(false, objects[index], propertyIndex) else { return nil }
        return objects[index] as? Target
    }

    /// Replaces and returns the object at an index; nil for an invalid index.
    @discardableResult
    public func replace<Target: ManagedObject>(
        at index: Int,
        in relationship: ToMany<Target>,
        with object: Target
    ) -> Target? {
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        guard attempt(propertyIndex, { () throws(ContextError) in try checkLink(object, propertyIndex) }),
            let old = remove(at: index, from: relationship)
        else { return nil }
        insert(object, into: relationship, at: index)
        return old
    }

    /// Inserts an object into an ordered to-many relationship at an index, by name.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the two is deleted or
    ///   gone.
    public func insert(_ object: ManagedObject, forKey key: String, at index: Int) throws(ContextError) {
        let propertyIndex = try toManyIndex(key)
        try checkLink(object, propertyIndex)
        insert(object, propertyIndex, at: index)
    }

    /// Sets the objects of a to-many relationship in the given order, by name.
    ///
    /// - Throws: ``ContextError`` when the entity has no such to-many relationship, or one of the objects is deleted or
    ///   gone; then nothing is changed.
    public func setObjects(_ objects: [ManagedObject], forKey key: String) throws(ContextError) {
        let propertyIndex = try toManyIndex(key)
        try checkWritable(propertyIndex)
        for object in objects { try checkLink(object, propertyIndex) }
        setRelatedObjects(objects, propertyIndex)
    }

    func insert(_ object: ManagedObject, _ propertyIndex: Int, at index: Int) {
        setLinked(true, object, propertyIndex)
        guard isOrdered(propertyIndex), let context = managedObjectContext else { return }
        let key = RelationshipDelta.Key(self, propertyIndex)
        // An object that was just added to the end of a known list moves without a visit to all others.
        if let version = context.relationships.listVersion,
            context.pending.delta.isLast(object.objectID, key, version: version)
        {
            // It is at the end already.
            if let count = context.pending.delta.orderings[key]?.ids.count, index >= count - 1 { return }
            UndoRecorder(context: context).recordOrder(of: self, propertyIndex, moving: [object.objectID])
            context.pending.delta.moveLast(to: index, key)
            return context.recordEdit(of: self)
        }
        var ids = context.relationships.relatedIDs(self, propertyIndex)
        guard let place = ids.firstIndex(of: object.objectID) else { return }
        ids.remove(at: place)
        ids.insert(object.objectID, at: max(0, min(index, ids.count)))
        arrange(ids, propertyIndex, moving: [object.objectID], completeAt: context.relationships.listVersion)
    }

    func isOrdered(_ propertyIndex: Int) -> Bool {
        descriptor.entity.properties.indices.contains(propertyIndex)
            && descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true
    }

    /// If `moving` is nil, the moved objects are found; `version` is set when `ids` are all objects of the relationship.
    func arrange(
        _ ids: [ManagedObjectID],
        _ propertyIndex: Int,
        moving: Set<ManagedObjectID>? = nil,
        completeAt version: UInt64? = nil
    ) {
        guard isOrdered(propertyIndex), let context = managedObjectContext else { return }
        let current = context.relationships.relatedIDs(self, propertyIndex)
        guard current != ids else { return }
        let moving = moving ?? RelationshipOrdering.moves(to: ids, from: current)
        UndoRecorder(context: context).recordOrder(of: self, propertyIndex, moving: moving)
        let key = RelationshipDelta.Key(self, propertyIndex)
        let former = context.pending.delta.orderings[key]?.moved ?? []
        var ordering = RelationshipOrdering(ids, moved: former.union(moving), completeAt: version)
        // Objects that are back at their stored places are not moved.
        let others = RelationshipOrdering(ids, moved: former.subtracting(moving), completeAt: version)
        let present = Set(ids)
        let stored = context.relationships.storedIDs(self, propertyIndex)
        let unmoved = (context.pending.delta[key]?.applied(to: stored) ?? stored).filter(present.contains)
        if others.ordering(unmoved) == ids { ordering = others }
        context.pending.delta.setOrder(ordering, key)
        context.recordEdit(of: self)
    }

    /// Returns the objects of a to-many relationship as a sequence that can be changed in place.
    public func objects<Target: ManagedObject>(of relationship: ToMany<Target>) -> RelatedObjects<Target> {
        RelatedObjects(self, relationship)
    }
}

/// An object that was not moved keeps its stored position, even if others move it.
///
/// A moved object follows the nearest object before it in ``ids`` that still exists.
struct RelationshipOrdering {
    private(set) var ids: [ManagedObjectID]
    private(set) var moved: Set<ManagedObjectID>
    private var members: Set<ManagedObjectID>
    /// The list version for which ``ids`` are all objects of the relationship; nil when it is unknown.
    private(set) var completeAt: UInt64?
    var version: UInt64 = 0

    init(_ ids: [ManagedObjectID], moved: Set<ManagedObjectID>, completeAt version: UInt64? = nil) {
        self.ids = ids
        members = Set(ids)
        self.moved = moved.intersection(members)
        completeAt = version
    }

    mutating func append(_ id: ManagedObjectID, isMoved: Bool) {
        if !members.insert(id).inserted { ids.removeAll { $0 == id } }
        ids.append(id)
        if isMoved { moved.insert(id) } else { moved.remove(id) }
    }

    mutating func markIncomplete() { completeAt = nil }

    func keeping(_ isKept: (ManagedObjectID) -> Bool) -> RelationshipOrdering {
        RelationshipOrdering(ids, moved: moved.filter { !isKept($0) })
    }

    /// The last object was not moved before; it needs no move of its own if only moved objects are behind it.
    mutating func moveLast(to index: Int) {
        guard let last = ids.popLast() else { return }
        let place = max(0, min(index, ids.count))
        if ids[place...].last(where: { !moved.contains($0) }) != nil { moved.insert(last) }
        ids.insert(last, at: place)
    }

    func adding(_ later: RelationshipOrdering) -> RelationshipOrdering {
        // Objects that were moved here and that the later list does not have yet.
        let others = moved.subtracting(later.members)
        let ids = others.isEmpty ? later.ids : keeping { !others.contains($0) }.ordering(later.ids + others)
        return RelationshipOrdering(ids, moved: moved.union(later.moved))
    }

    func ordering(_ list: [ManagedObjectID]) -> [ManagedObjectID] {
        guard !moved.isEmpty else { return list }
        let present = Set(list)
        var followers: [ManagedObjectID?: [ManagedObjectID]] = [:]
        var last: ManagedObjectID?
        for id in ids where present.contains(id) {
            if moved.contains(id) { followers[last, default: []].append(id) } else { last = id }
        }
        var result = followers[nil] ?? []
        for id in list where !moved.contains(id) {
            result.append(id)
            result += followers[id] ?? []
        }
        return result
    }

    static func moves(to list: [ManagedObjectID], from base: [ManagedObjectID]) -> Set<ManagedObjectID> {
        let places = Dictionary(base.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let known = list.compactMap { id in places[id].map { (id: id, place: $0) } }
        let unmoved = Set(known.map(\.place).longestRise(by: <).map { known[$0].id })
        return Set(list).subtracting(unmoved)
    }
}

struct PositionPlan {
    let wanted: [ManagedObjectID]
    let kept: [ManagedObjectID: String]

    /// When two adjacent positions leave no room between them, the second object moves as well.
    func positioned() -> [(id: ManagedObjectID, position: String)] {
        var result: [(id: ManagedObjectID, position: String)] = []
        var low: String?
        var index = 0
        while index < wanted.count {
            if let position = kept[wanted[index]] {
                low = position
                index += 1
                continue
            }
            var end = index
            while true {
                while end < wanted.count, kept[wanted[end]] == nil { end += 1 }
                let high = end < wanted.count ? kept[wanted[end]] : nil
                // The end of the list always has room.
                if let made = PositionMaker.positions(end - index, after: low, before: high) {
                    result += zip(wanted[index..<end], made).map { ($0, $1) }
                    low = made.last
                    break
                }
                end += 1
            }
            index = end
        }
        return result
    }
}

extension Sequence<ManagedObjectID> {
    func ordered(by positions: [ManagedObjectID: String]) -> [ManagedObjectID] {
        compactMap { id in positions[id].map { (OrderedPosition(position: $0, id: id.uniqueID), id) } }
            .sorted { $0.0 < $1.0 }
            .map(\.1)
    }
}

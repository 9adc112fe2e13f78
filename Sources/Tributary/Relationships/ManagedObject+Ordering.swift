import TributaryChanges
import TributaryModel

/// The order of ordered to-many relationships.
///
/// In unordered relationships an insertion adds the object, and a move does nothing.
extension ManagedObject {
    /// Inserts an object into an ordered to-many relationship at an index; an object that is in it moves.
    ///
    /// An index beyond the ends counts as the nearest end.
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

    /// Removes the object at an index from a to-many relationship; nil when there is none.
    @discardableResult
    public func remove<Target: ManagedObject>(at index: Int, from relationship: ToMany<Target>) -> Target? {
        let propertyIndex = relationship.propertyIndex(in: descriptor)
        let objects = relatedObjects(propertyIndex)
        guard objects.indices.contains(index) else { return nil }
        guard assignLinked(false, objects[index], propertyIndex) else { return nil }
        return objects[index] as? Target
    }

    /// Replaces the object at an index and returns it; nil when there is none.
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
    ///   gone; nothing is changed then.
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
            context.pending.delta.moveLast(object.objectID, to: index, key, version: version)
        {
            return context.recordEdit(of: self)
        }
        var ids = context.relationships.relatedIDs(self, propertyIndex)
        guard let place = ids.firstIndex(of: object.objectID) else { return }
        ids.remove(at: place)
        ids.insert(object.objectID, at: max(0, min(index, ids.count)))
        arrange(ids, propertyIndex, completeAt: context.relationships.listVersion)
    }

    func isOrdered(_ propertyIndex: Int) -> Bool {
        descriptor.entity.properties.indices.contains(propertyIndex)
            && descriptor.entity.properties[propertyIndex].relationship?.isOrdered == true
    }

    /// `version` is the context's list version when `ids` are all objects of the relationship.
    func arrange(_ ids: [ManagedObjectID], _ propertyIndex: Int, completeAt version: UInt64? = nil) {
        guard isOrdered(propertyIndex), let context = managedObjectContext,
            context.relationships.relatedIDs(self, propertyIndex) != ids
        else { return }
        UndoRecorder(context: context).recordOrder(of: self, propertyIndex)
        context.pending.delta.setOrder(ids, RelationshipDelta.Key(self, propertyIndex), completeAt: version)
        context.recordEdit(of: self)
    }

    /// Returns the objects of a to-many relationship as a sequence that can be changed in place.
    public func objects<Target: ManagedObject>(of relationship: ToMany<Target>) -> RelatedObjects<Target> {
        RelatedObjects(self, relationship)
    }
}

struct RelationshipOrdering {
    private(set) var ids: [ManagedObjectID]
    private var members: Set<ManagedObjectID>
    /// The context's list version at which ``ids`` are all objects of the relationship; nil when it is unknown.
    private(set) var completeAt: UInt64?

    init(_ ids: [ManagedObjectID], completeAt version: UInt64? = nil) {
        self.ids = ids
        members = Set(ids)
        completeAt = version
    }

    func contains(_ id: ManagedObjectID) -> Bool { members.contains(id) }

    mutating func append(_ id: ManagedObjectID) {
        if !members.insert(id).inserted { ids.removeAll { $0 == id } }
        ids.append(id)
    }

    mutating func markIncomplete() { completeAt = nil }

    mutating func moveLast(to index: Int) {
        guard let last = ids.popLast() else { return }
        ids.insert(last, at: max(0, min(index, ids.count)))
    }

    /// Returns `list` sorted into this order; an object that the order lacks stays behind its predecessor in `list`.
    func ordering(_ list: [ManagedObjectID]) -> [ManagedObjectID] {
        let present = Set(list)
        var followers: [ManagedObjectID?: [ManagedObjectID]] = [:]
        var last: ManagedObjectID?
        for id in list {
            if members.contains(id) { last = id } else { followers[last, default: []].append(id) }
        }
        var result = followers[nil] ?? []
        for id in ids where present.contains(id) {
            result.append(id)
            result += followers[id] ?? []
        }
        return result
    }

    /// Returns a largest set of objects in `list` that need not move to change the order of `base` to `list`.
    static func unmoved(_ list: [ManagedObjectID], in base: [ManagedObjectID]) -> Set<ManagedObjectID> {
        let places = Dictionary(base.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let stored = list.compactMap { id in places[id].map { (id: id, place: $0) } }
        return Set(stored.map(\.place).longestRise(by: <).map { stored[$0].id })
    }
}

struct PositionPlan {
    let wanted: [ManagedObjectID]
    /// The newest positions, other objects' included.
    let positions: [ManagedObjectID: String]
    let kept: Set<ManagedObjectID>

    /// When two adjacent positions leave no room between them, the second object moves as well.
    func positioned() -> [(id: ManagedObjectID, position: String)] {
        var result: [(id: ManagedObjectID, position: String)] = []
        var low: String?
        var index = 0
        while index < wanted.count {
            if kept.contains(wanted[index]) {
                low = positions[wanted[index]]
                index += 1
                continue
            }
            var end = index
            while true {
                while end < wanted.count, !kept.contains(wanted[end]) { end += 1 }
                let high = end < wanted.count ? upper(positions[wanted[end]], above: low) : next(above: low)
                if let made = PositionMaker.positions(end - index, after: low, before: high) {
                    result += zip(wanted[index..<end], made).map { ($0, $1) }
                    low = made.last
                    break
                }
                guard end < wanted.count else {
                    // The objects after these leave no room, but the end always has room.
                    let made = PositionMaker.positions(end - index, after: greatest, before: nil) ?? []
                    result += zip(wanted[index..<end], made).map { ($0, $1) }
                    break
                }
                end += 1
            }
            index = end
        }
        return result
    }

    private var greatest: String? { positions.values.max { $0.precedesByBytes($1) } }

    /// At the end of the list, new positions follow the objects that others have added, unless a neighbour is known.
    private func next(above low: String?) -> String? {
        guard let low else { return nil }
        let wantedSet = Set(wanted)
        let later = positions.filter { !wantedSet.contains($0.key) && low.precedesByBytes($0.value) }
        return later.isEmpty ? nil : later.values.min { $0.precedesByBytes($1) }
    }

    /// Returns the position of the next object that stays, or the next greater one when others have moved that object
    /// before the one below.
    private func upper(_ high: String?, above low: String?) -> String? {
        guard let high, let low, high.precedesByBytes(low) else { return high }
        return positions.values.filter { low.precedesByBytes($0) }.min { $0.precedesByBytes($1) }
    }
}

extension Sequence<ManagedObjectID> {
    func ordered(by positions: [ManagedObjectID: String]) -> [ManagedObjectID] {
        compactMap { id in positions[id].map { (OrderedPosition(position: $0, id: id.uniqueID), id) } }
            .sorted { $0.0 < $1.0 }
            .map(\.1)
    }
}

// Requests: their changes, with conditions, are applied to the objects of a context and saved.

package import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// Rules and validation run at the save, which throws ``RepeatedRequest`` for a known idempotency key.
    package func apply(
        _ changes: [ConditionalChange],
        idempotencyKey: String? = nil,
        restoredConflict: Int64? = nil
    ) throws(ChangeError) -> [ManagedObjectID] {
        saving.answers = []
        var terms = saving.request ?? RequestConditions()
        terms.objects = []
        terms.idempotencyKey = idempotencyKey ?? terms.idempotencyKey
        terms.restoredConflict = restoredConflict ?? terms.restoredConflict
        saving.request = terms
        var ids: [ManagedObjectID] = []
        for change in changes { ids.append(try ChangeApplication.apply(change, in: self)) }
        return ids
    }

    // MARK: Slices, because objects take many times the memory of their text

    /// In bytes of text; a longer request is saved in slices.
    private static let wholeSize = 1 << 20
    private static let sliceSize = 256 << 10
    private static let sliceCount = 2_000

    /// Saves all changes or none, a long request in slices of one transaction; `read` may be called again.
    ///
    /// When a slice fails, all is saved at once, which finds every failure. Returns the object of each change.
    package func save(
        size: Int,
        _ counts: (all: Int, inserts: Int, deletions: Int),
        idempotencyKey key: String?,
        _ read: (_ take: (ConditionalChange) throws -> Void) throws -> Void
    ) throws -> [UniqueID] {
        let policy = mergePolicy
        // An object that a slice has deleted could be inserted again.
        if size > ManagedObjectContext.wholeSize, counts.deletions == 0 || counts.deletions == counts.all, above == nil
        {
            let joined = reader.saves
            joined.keepsStates = false
            // A later update could free the key of an object.
            if counts.inserts < counts.all { mergePolicy = .error }
            defer { (joined.keepsStates, mergePolicy) = (true, policy) }
            do {
                return try performInOneTransaction { try apply(counts.all, key, inSlices: true, read) }
            } catch let error as RepeatedRequest {
                throw error
            } catch {
                reset()
                lastSaveToken = nil
            }
        }
        mergePolicy = policy
        return try apply(counts.all, key, inSlices: false, read)
    }

    private func apply(
        _ count: Int,
        _ key: String?,
        inSlices: Bool,
        _ read: (_ take: (ConditionalChange) throws -> Void) throws -> Void
    ) throws -> [UniqueID] {
        saving.answers = []
        saving.answers.reserveCapacity(count)
        var replaced = ReplacedObjects()
        var size = 0
        try read { change in
            let changes = saving.request?.objects.count ?? 0
            if inSlices, size >= ManagedObjectContext.sliceSize || changes >= ManagedObjectContext.sliceCount {
                try saveSlice(&replaced)
                size = 0
            }
            // Saved at once, the request fails for an ID that occurs twice, and for a version that it creates itself.
            // Slices must not accept them.
            let isOwnVersion = change.ifVersion.map { $0 >= lastSaveToken?.number ?? .max } ?? false
            if inSlices, isOwnVersion || replaced.unwritten.contains(change.change.id) {
                throw ContextError.store(reason: "a change depends on one of another slice")
            }
            size += change.change.textSize
            _ = try ChangeApplication.apply(change, in: self)
        }
        saving.request?.idempotencyKey = key
        try saveSlice(&replaced)
        return exchange(&saving.answers, with: [])
    }

    private struct ReplacedObjects {
        var unwritten: Set<UniqueID> = []
        var holders: Set<UniqueID> = []
    }

    private func saveSlice(_ replaced: inout ReplacedObjects) throws {
        let (first, given) = (saving.answers.count, saving.request?.objects ?? [])
        try save()
        var found: Set<UniqueID> = []
        for (id, answer) in zip(given, saving.answers[first...]) where id.uniqueID != answer {
            found.insert(answer)
            replaced.unwritten.insert(id.uniqueID)
        }
        found.subtract(replaced.holders)
        replaced.holders.formUnion(found.subtracting(given.map(\.uniqueID)))
        // Saved at once, the request keeps the later of two new objects with the same key.
        guard !found.isEmpty, saving.answers[..<first].contains(where: found.contains) else { return }
        throw ContextError.store(reason: "objects of two slices have one key")
    }
}

struct RequestConditions {
    var idempotencyKey: String?
    var restoredConflict: Int64?
    var versions: [ManagedObjectID: Int64] = [:]
    var objects: [ManagedObjectID] = []
    var positions: [RelationshipDelta.Key: [ManagedObjectID: String]] = [:]

    var indices: [ManagedObjectID: Int] { Dictionary(zip(objects, 0...)) { first, _ in first } }

    func answers(_ plan: SavePlan) -> [UniqueID] {
        objects.map { plan.unique.replacement(of: $0.uniqueID, root: $0.rootEntity) ?? $0.uniqueID }
    }
}

package struct RepeatedRequest: Error, Hashable, Sendable {
    package var number: Int64
    package var detail: String

    package init(number: Int64, detail: String) {
        self.number = number
        self.detail = detail
    }
}

package struct ConditionalChange: Hashable, Sendable {
    package var change: Change
    package var ifVersion: Int64?

    package init(_ change: Change, ifVersion: Int64? = nil) {
        self.change = change
        self.ifVersion = ifVersion
    }
}

struct ChangeApplication {
    private let context: ManagedObjectContext
    /// Taken from the context meanwhile, so that they change in place.
    private var terms: RequestConditions

    static func apply(
        _ conditional: ConditionalChange,
        in context: ManagedObjectContext
    ) throws(ChangeError) -> ManagedObjectID {
        let terms = exchange(&context.saving.request, with: nil) ?? RequestConditions()
        let index = terms.objects.count
        var application = ChangeApplication(context: context, terms: terms)
        defer { context.saving.request = application.terms }
        do throws(ChangeError.Reason) {
            return try application.apply(conditional)
        } catch {
            throw ChangeError(index: index, reason: error)
        }
    }

    private mutating func apply(_ conditional: ConditionalChange) throws(ChangeError.Reason) -> ManagedObjectID {
        let object = try apply(conditional.change)
        if case .link(let name, let targets, let positions?) = conditional.change.operation {
            try setPositions(positions, of: targets, in: name, of: object)
        }
        let id = object.objectID
        if let expected = conditional.ifVersion {
            let found = object.rowRevision
            guard found == expected else { throw .versionMoved(id, expected: expected, found: found) }
            terms.versions[id] = expected
        }
        terms.objects.append(id)
        return id
    }

    private mutating func apply(_ change: Change) throws(ChangeError.Reason) -> ManagedObject {
        let descriptor = try descriptor(named: change.entity)
        switch change.operation {
        case .insert(let writes):
            let object = try insert(change, descriptor)
            for write in writes { try apply(write, to: object) }
            return object
        case .update(let writes):
            let object = try existing(change.id, descriptor)
            for write in writes { try apply(write, to: object) }
            return object
        case .delete:
            let object = try existing(change.id, descriptor)
            context.delete(object)
            return object
        case .link(let name, let ids, _): return try link(change, descriptor, name, ids, isLinked: true)
        case .unlink(let name, let ids): return try link(change, descriptor, name, ids, isLinked: false)
        }
    }

    private func descriptor(named name: String) throws(ChangeError.Reason) -> EntityDescriptor {
        guard let descriptor = context.schema.descriptor(named: name) else { throw .unknownEntity(name) }
        return descriptor
    }

    private func insert(_ change: Change, _ descriptor: EntityDescriptor) throws(ChangeError.Reason) -> ManagedObject {
        guard !descriptor.entity.isAbstract else { throw .abstractEntity(descriptor.entity.name) }
        do throws(ContextError) {
            let known = context.registry.object(change.id, rootIndex: descriptor.rootIndex)
            if known?.state != .deleted, try context.reader.row(change.id, descriptor) != nil {
                throw ContextError.duplicateID(descriptor.objectID(change.id))
            }
            return try context.insert(entity: descriptor.entity.name, id: change.id)
        } catch .duplicateID(let id) {
            throw .duplicateID(id)
        } catch {
            throw .context(error)
        }
    }

    private func existing(_ id: UniqueID, _ descriptor: EntityDescriptor) throws(ChangeError.Reason) -> ManagedObject {
        let objectID = descriptor.objectID(id)
        // The ID may name another entity of the inheritance; the row has the object's own entity.
        let row: Row?
        do throws(ContextError) {
            row = try context.reader.row(id, descriptor)
        } catch {
            throw .context(error)
        }
        let known = context.registry.object(id, rootIndex: descriptor.rootIndex)
        let object = known?.state == .inserted ? known : row.map { context.object(for: $0) }
        guard let object, object.state != .deleted, object.state != .gone,
            object.descriptor.entity.isKind(of: descriptor.entity.name)
        else { throw .notFound(objectID) }
        return object
    }

    private func apply(_ write: PropertyWrite, to object: ManagedObject) throws(ChangeError.Reason) {
        let entity = object.descriptor.entity
        guard let propertyIndex = entity.propertyIndex(named: write.name) else {
            throw .unknownProperty(entity: entity.name, property: write.name)
        }
        let property = entity.properties[propertyIndex]
        if object.descriptor.properties.counters.contains(propertyIndex),
            let amount = write.value.increment.flatMap({ property.attribute?.type.amount(from: $0) })
        {
            return object.count(amount, propertyIndex)
        }
        guard let value = property.value(from: write.value), property.attribute?.isStored ?? true else {
            let reason = entity.deferralReason(of: write, isInsert: false)
            throw .refusedValue(
                entity: entity.name,
                property: property.name,
                reason: reason ?? "it does not fit the property"
            )
        }
        if property.attribute?.derivationExpression != nil {
            // Setting the current value changes nothing.
            guard object.read(propertyIndex) != value else { return }
            throw .wrongValue(
                entity: entity.name,
                property: property.name,
                expected: "no value, because it is derived",
                found: write.value.kind
            )
        }
        guard let relationship = property.relationship else { return object.write(value, propertyIndex) }
        switch value {
        case .reference(let target): object.setRelated(try self.target(target, relationship), propertyIndex)
        default: object.setRelated(nil, propertyIndex)
        }
    }

    private func link(
        _ change: Change,
        _ descriptor: EntityDescriptor,
        _ name: String,
        _ ids: [UniqueID],
        isLinked: Bool
    ) throws(ChangeError.Reason) -> ManagedObject {
        let object = try existing(change.id, descriptor)
        guard let propertyIndex = object.descriptor.propertyIndex(named: name) else {
            throw .unknownProperty(entity: descriptor.entity.name, property: name)
        }
        guard let relationship = object.descriptor.entity.properties[propertyIndex].relationship, relationship.isToMany
        else {
            throw .wrongValue(entity: descriptor.entity.name, property: name, expected: "a value", found: "a link")
        }
        for id in ids { object.setLinked(isLinked, try target(id, relationship), propertyIndex) }
        return object
    }

    private func target(_ id: UniqueID, _ relationship: Relationship) throws(ChangeError.Reason) -> ManagedObject {
        try existing(id, try descriptor(named: relationship.destination))
    }

    private mutating func setPositions(
        _ given: [String],
        of targets: [UniqueID],
        in name: String,
        of owner: ManagedObject
    ) throws(ChangeError.Reason) {
        let entity = owner.descriptor.entity.name
        guard let propertyIndex = owner.descriptor.propertyIndex(named: name),
            let relationship = owner.descriptor.entity.properties[propertyIndex].relationship
        else { throw .unknownProperty(entity: entity, property: name) }
        func wrong(_ expected: String) -> ChangeError.Reason {
            let found = "\(given.count) positions for \(targets.count) IDs"
            return .wrongValue(entity: entity, property: name, expected: expected, found: found)
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
            let stored = try context.reader.read {
                try $0.positions(of: owner.uniqueID, entity: owner.descriptor.entity, propertyIndex: propertyIndex)
            }
            for (id, position) in stored where positions[id] == nil {
                positions[id] = position
            }
        } catch {
            throw .context(error)
        }
        // An object without a position stays at the end.
        let ids = context.relationships.relatedIDs(owner, propertyIndex)
        let ordered = ids.ordered(by: positions) + ids.filter { positions[$0] == nil }
        owner.arrange(ordered, propertyIndex)
        // An unchanged order must be written as well.
        if context.pending.delta.orderings[key] == nil {
            context.pending.delta.setOrder(RelationshipOrdering(ordered, moved: []), key)
        }
        context.recordEdit(of: owner)
    }
}

package struct ChangeError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Error, Hashable, Sendable {
        case unknownEntity(String)
        case abstractEntity(String)
        case unknownProperty(entity: String, property: String)
        case wrongValue(entity: String, property: String, expected: String, found: String)
        /// An import defers such a value, with the same reason.
        case refusedValue(entity: String, property: String, reason: String)
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
        case .unknownEntity(let name): ContextError.unknownEntity(name).description
        case .abstractEntity(let name): ContextError.abstractEntity(name).description
        case .unknownProperty(let entity, let property):
            ContextError.unknownProperty(entity: entity, property: property).description
        case .wrongValue(let entity, let property, let expected, let found):
            ContextError.wrongType(entity: entity, property: property, expected: expected, found: found).description
        case .refusedValue(_, _, let reason): reason
        case .notFound(let id): ContextError.notFound(id).description
        case .duplicateID(let id): ContextError.duplicateID(id).description
        case .versionMoved(let id, let expected, let found):
            found.map { "\(id) is at version \($0), not \(expected)" } ?? "\(id) was deleted since version \(expected)"
        case .context(let error): error.description
        }
    }
}

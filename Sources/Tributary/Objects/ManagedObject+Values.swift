public import TributaryChanges
public import TributaryModel
import TributaryStore

extension ManagedObject {
    // MARK: By name

    /// Returns the value of an attribute, or the ID of a to-one relationship as `.reference`.
    ///
    /// Reading never fails: see ``faultError``.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property, or it is to-many.
    public func value(forKey key: String) throws(ContextError) -> PropertyValue {
        let propertyIndex = try propertyIndex(named: key)
        switch descriptor.role(propertyIndex) {
        case .attribute, .derived: return wholeValue(propertyIndex)
        case .toOne: return relatedID(propertyIndex).map { .reference($0.uniqueID) } ?? .null
        case .toMany: throw ContextError.toMany(key, entity: descriptor.entity.name)
        }
    }

    /// Sets an attribute, or a to-one relationship by `.reference` or `.null`.
    ///
    /// A relationship to an ID without an object reads as nil, until an object with the ID is inserted.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property, it is to-many or derived, the value does not
    ///   fit, or the object is gone; then nothing is changed.
    public func setValue(_ value: PropertyValue, forKey key: String) throws(ContextError) {
        let propertyIndex = try propertyIndex(named: key)
        switch descriptor.role(propertyIndex) {
        case .attribute(let type):
            guard let value = settable(value, type, propertyIndex) else {
                let attribute = descriptor.entity.properties[propertyIndex].attribute
                throw wrongType(key, attribute?.expectation(refusing: value) ?? type.rawValue, value)
            }
            try checkWritable(propertyIndex)
            write(value, propertyIndex)
        case .derived: try checkWritable(propertyIndex)
        case .toOne: try setTarget(value, propertyIndex, key)
        case .toMany: throw ContextError.toMany(key, entity: descriptor.entity.name)
        }
    }

    private func settable(_ value: PropertyValue, _ type: AttributeType, _ propertyIndex: Int) -> PropertyValue? {
        if case .composite = type { return descriptor.entity.properties[propertyIndex].attribute?.settable(value) }
        return type.accepts(value) ? value : nil
    }

    private func setTarget(_ value: PropertyValue, _ propertyIndex: Int, _ key: String) throws(ContextError) {
        switch value {
        case .null:
            try checkWritable(propertyIndex)
            setRelated(nil, propertyIndex)
        case .reference(let id):
            guard let context = managedObjectContext else { throw ContextError.detached(objectID) }
            let destination = descriptor.entity.properties[propertyIndex].relationship?.destination ?? ""
            let target = context.object(id, entity: destination)
            if let target { try checkLink(target, propertyIndex) }
            setRelated(target, propertyIndex)
        default: throw wrongType(key, "an object", value)
        }
    }

    private func wrongType(_ key: String, _ expected: String, _ value: PropertyValue) -> ContextError {
        ContextError.wrongType(entity: descriptor.entity.name, property: key, expected: expected, found: value.kindName)
    }

    func propertyIndex(named key: String) throws(ContextError) -> Int {
        guard let propertyIndex = descriptor.propertyIndex(named: key) else {
            throw ContextError.unknownProperty(entity: descriptor.entity.name, property: key)
        }
        return propertyIndex
    }

    // MARK: By property index

    @inlinable
    func read(_ propertyIndex: Int) -> PropertyValue {
        #if DEBUG
            checkRead(propertyIndex)
        #endif
        // A fault has no values, so one comparison detects both a fault and an invalid property index.
        return values.indices.contains(propertyIndex) ? values[propertyIndex] : readSlowly(propertyIndex)
    }

    @usableFromInline
    @inline(never)
    func readSlowly(_ propertyIndex: Int) -> PropertyValue {
        fire()
        if values.indices.contains(propertyIndex) { return values[propertyIndex] }
        return descriptor.defaults.indices.contains(propertyIndex) ? descriptor.defaults[propertyIndex] : .null
    }

    /// Also reads the row of a fault with unsaved links; an object that is gone is not read again.
    func fire() {
        guard values.isEmpty, state == .clean || state == .updated || state == .deleted else { return }
        if let managedObjectContext { FaultLoading(context: managedObjectContext).fire(self) }
    }

    @usableFromInline
    func write(_ value: PropertyValue, _ propertyIndex: Int) {
        guard propertyIndex >= 0, propertyIndex < descriptor.defaults.count else { return }
        checkConfinement(propertyIndex)
        if values.isEmpty {
            fire()
            if values.isEmpty { values = descriptor.defaults }
        }
        let isSpecial = descriptor.properties.special.contains(propertyIndex)
        if isSpecial, descriptor.properties.counters.contains(propertyIndex) {
            return assignCounter(value, propertyIndex)
        }
        guard values[propertyIndex] != value else { return markSet(propertyIndex) }
        // One value may have its bytes, and the other a reference to equal external bytes.
        if values[propertyIndex].isBlob || value.isBlob, values[propertyIndex].isSame(as: value) { return }
        let context = managedObjectContext
        if let context { keepEventValues(context) }
        if let context, context.pending.isFollowingWrites { record(value, propertyIndex, context) }
        set(value, propertyIndex)
        guard !isSpecial, state != .gone, state != .detached else { return }
        changed.insert(propertyIndex)
        context?.recordEdit(of: self)
    }

    /// An insert contains the properties that the program has set, even to their defaults.
    func markSet(_ propertyIndex: Int) {
        guard state == .inserted, !descriptor.properties.special.contains(propertyIndex),
            !changed.contains(propertyIndex)
        else { return }
        recordMark(propertyIndex)
        changed.insert(propertyIndex)
    }

    func unmarkSet(_ propertyIndex: Int) {
        guard changed.contains(propertyIndex) else { return }
        recordMark(propertyIndex)
        changed.remove(propertyIndex)
    }

    private func recordMark(_ propertyIndex: Int) {
        guard let context = managedObjectContext, context.pending.isFollowingWrites else { return }
        record(values[propertyIndex], propertyIndex, context)
    }

    @inline(__always)
    func keepEventValues(_ context: ManagedObjectContext) {
        guard event != context.observation.event else { return }
        event = context.observation.event
        eventValues = values
    }

    private func record(_ value: PropertyValue, _ propertyIndex: Int, _ context: ManagedObjectContext) {
        context.pending.propertyWillChange(of: self, propertyIndex)
        guard let undoStack = context.undoStack, state != .gone else { return }
        UndoRecorder(context: context).recordOrders(self, propertyIndex, from: values[propertyIndex], to: value)
        let save = changed.contains(propertyIndex) ? nil : context.pending.saveCount
        undoStack.record(
            .value(self, propertyIndex: propertyIndex, old: values[propertyIndex], unchangedAt: save)
        )
    }

    func fill(from row: inout Row) {
        takeValues(of: &row)
        awakeFromFetch()
    }

    // MARK: External binaries

    /// Reads external bytes once; after a failure returns the reference, and ``faultError`` has the reason.
    @usableFromInline
    func whole(_ value: PropertyValue, _ propertyIndex: Int) -> PropertyValue {
        guard case .blob = value, let context = managedObjectContext else { return value }
        if let known = extras?.blobs[propertyIndex], known.reference == value { return known.value }
        do {
            let whole = try context.store.whole(value)
            makeExtras().blobs[propertyIndex] = (value, whole)
            return whole
        } catch {
            let name = descriptor.entity.properties[propertyIndex].name
            FaultLoading(context: context).report(
                .unreadable(objectID, reason: "'\(name)': \(ContextError(error))"),
                of: self
            )
            return value
        }
    }

    func wholeValue(_ propertyIndex: Int) -> PropertyValue { whole(read(propertyIndex), propertyIndex) }

    func wholeOrError(_ value: PropertyValue, _ propertyIndex: Int) throws(ContextError) -> PropertyValue {
        let whole = whole(value, propertyIndex)
        guard case .blob = whole else { return whole }
        throw faultError ?? .detached(objectID)
    }

    // MARK: Writes that are refused

    // Writes that a save could not keep have no effect: to objects that are gone or detached, links to such objects,
    // and values of derived attributes. Functions that can throw report that at once; for others, the next save reports
    // the write.

    @usableFromInline
    func assign(_ value: PropertyValue, _ propertyIndex: Int) {
        // An object of an entity that is not in the model has no property indexes.
        guard propertyIndex >= 0 else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted:
            guard descriptor.properties.derivedIndexes.contains(propertyIndex) else {
                return write(value, propertyIndex)
            }
        case .gone, .detached: break
        }
        assignRefused(value, propertyIndex)
    }

    @inline(never)
    private func assignRefused(_ value: PropertyValue, _ propertyIndex: Int) {
        do throws(ContextError) {
            try checkWritable(propertyIndex)
            write(value, propertyIndex)
        } catch {
            if read(propertyIndex) != value { refuse(error, propertyIndex) }
        }
    }

    func checkWritable(_ propertyIndex: Int) throws(ContextError) {
        guard propertyIndex >= 0, !descriptor.properties.transients.contains(propertyIndex) else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted: break
        case .gone: throw faultError ?? .notFound(objectID)
        case .detached: throw .detached(objectID)
        }
        guard descriptor.properties.derivedIndexes.contains(propertyIndex) else { return }
        throw .wrongKind(
            entity: descriptor.entity.name,
            property: descriptor.entity.properties[propertyIndex].name,
            expected: "an attribute that can be set: it is derived"
        )
    }

    /// A link fails when an object is deleted or gone; an object of another context is looked up by its ID.
    func checkLink(_ target: ManagedObject, _ propertyIndex: Int) throws(ContextError) {
        try checkWritable(propertyIndex)
        guard state != .deleted else { throw .notFound(objectID) }
        guard let context = managedObjectContext else { return }
        let isForeign = target.managedObjectContext !== context
        let target = isForeign ? context.object(with: target.objectID) : target
        if isForeign { try target.load() }
        switch target.state {
        case .inserted, .clean, .updated: return
        case .deleted: throw .notFound(target.objectID)
        case .gone: throw target.faultError ?? .notFound(target.objectID)
        case .detached: throw .detached(target.objectID)
        }
    }

    func refuse(_ error: ContextError, _ propertyIndex: Int) {
        guard descriptor.entity.properties.indices.contains(propertyIndex) else { return }
        guard let context = managedObjectContext else {
            makeExtras().faultError = error
            return
        }
        let rule = descriptor.properties.derivedIndexes.contains(propertyIndex) ? ValidationFailure.Rule.derived : .gone
        context.pending.refuse(
            ValidationFailure(
                objectID: objectID,
                property: descriptor.entity.properties[propertyIndex].name,
                rule: rule,
                message: "was set, which had no effect: \(error)"
            )
        )
    }
}

extension ManagedObject: PredicateSubject {
    package typealias Related = ManagedObject

    package var predicateID: UniqueID { uniqueID }

    package var predicateEntity: String { descriptor.entity.name }

    package func predicateValue(propertyIndex: Int) -> PropertyValue {
        guard descriptor.entity.properties.indices.contains(propertyIndex) else { return .null }
        guard descriptor.entity.properties[propertyIndex].relationship != nil else { return read(propertyIndex) }
        // A target that is deleted here is not visible. An ID without a registered object belongs to an unchanged
        // object.
        guard let id = relatedID(propertyIndex) else { return .null }
        if managedObjectContext?.registeredObject(for: id)?.state == .deleted { return .null }
        return .reference(id.uniqueID)
    }

    package func predicateTarget(propertyIndex: Int) -> ManagedObject? {
        related(propertyIndex).flatMap { $0.state == .deleted ? nil : $0 }
    }

    package func predicateTargets(propertyIndex: Int) -> [ManagedObject] {
        relatedObjects(propertyIndex).filter { $0.state != .deleted }
    }
}

extension ManagedObject: PredicateArgumentConvertible {
    /// The object's ID, for comparison with a relationship or with SELF.
    public var predicateArgument: PredicateArgument { .object(objectID) }
}

extension PropertyValue {
    @inline(__always)
    fileprivate var isBlob: Bool {
        if case .blob = self { true } else { false }
    }
}

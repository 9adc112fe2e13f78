import TributaryChanges

/// The only owner of the states of a context's objects, which change by ``ObjectTransition`` alone.
final class PendingChanges {
    struct StateAccess {
        fileprivate init() {}
    }

    private(set) var list = DirtyList()
    private let registry: ObjectRegistry
    var delta = RelationshipDelta()
    private var unfollowedDeletions: [ManagedObject] = []
    /// While delete rules are followed, relationships show objects that the rules are about to unlink.
    private(set) var isFollowingDeleteRules = false
    private(set) var lostConflicts: [MergeConflict] = []
    private(set) var lostEdits: [ObjectSnapshot] = []
    /// An object may have had the ID of an unsaved object before; the store then shows its former links.
    var hasReusedIDs = false
    private(set) var refusedWrites = RefusedWrites()
    var assignedList: AssignedList?
    let listSteps = StepCounter()

    // The `@exclusivity(unchecked)` properties are read or incremented with each change of a value. An access to them
    // lasts no longer than the instruction that makes it, so accesses cannot overlap.

    @exclusivity(unchecked) private(set) var editCount: UInt64 = 0
    /// Grows with each save or rollback, which ends the changes that were made before.
    private(set) var saveCount: UInt64 = 0
    private(set) var lastSave: UInt64 = 0
    /// Whether undo or the index of changed objects needs the old value before a change.
    @exclusivity(unchecked) private(set) var isFollowingWrites = false

    init(registry: ObjectRegistry) {
        self.registry = registry
    }

    var objects: [ManagedObject] { list.objects }

    var count: Int { list.count }

    func count(rootIndex: Int) -> Int { list.count(rootIndex: rootIndex) }

    var needsSave: Bool { list.count > 0 || !lostConflicts.isEmpty || !refusedWrites.isEmpty }

    func visitAll() -> [ManagedObject] { list.visitAll() }

    func objects(_ values: [PropertyValue], in scope: DirtyKeyIndex.Scope, version: UInt64) -> [ManagedObject] {
        isFollowingWrites = true
        return list.objects(values, in: scope, version: version)
    }

    func move(_ object: ManagedObject, on event: ObjectEvent) {
        apply(ObjectTransition(from: object.state, on: event), to: object)
    }

    func apply(_ transition: ObjectTransition, to object: ManagedObject) {
        assert(transition.from == object.state, "a transition belongs to the state that the object has")
        object.setState(transition.to, by: StateAccess())
        let actions = transition.actions
        if actions.contains(.clearChanges) {
            // The undo of a saved deletion brings the amounts back that were not saved.
            object.clearChanges(keepingAmounts: transition.from == .deleted && transition.to == .gone)
        }
        if actions.contains(.markNeverSaved) { object.makeExtras().isUnsaved = true }
        if actions.contains(.register) {
            if transition.from == .gone { registry.goneTable.remove(object) }
            registry.register(object)
        }
        if actions.contains(.list) { list.insert(object) }
        if actions.contains(.unlist) {
            list.remove(object)
            if list.count == 0 { assignedList = nil }
        }
        if actions.contains(.followDeleteRules) { unfollowedDeletions.append(object) }
        if actions.contains(.stopDeleteRules) { unfollowedDeletions.removeAll { $0 === object } }
        if actions.contains(.forgetLinks) { forgetLinks(of: object) }
        if actions.contains(.changeVisibility) { delta.changeVisibility() }
        if actions.contains(.unregister) { registry.remove(object) }
    }

    @inline(__always)
    func recordEdit(of object: ManagedObject) -> Bool {
        if object.dirtyIndex < 0 {
            move(object, on: .edit)
            guard object.dirtyIndex >= 0 else { return false }
        }
        editCount &+= 1
        return true
    }

    func insert(_ object: ManagedObject) {
        move(object, on: .insert)
        editCount &+= 1
    }

    func delete(_ object: ManagedObject) {
        move(object, on: .delete)
        editCount &+= 1
    }

    func resurrect(_ object: ManagedObject, isChanged: Bool) {
        move(object, on: .resurrect(isChanged: isChanged))
        editCount &+= 1
    }

    func propertyWillChange(of object: ManagedObject, _ propertyIndex: Int) {
        list.propertyWillChange(of: object, propertyIndex)
    }

    func addOwner(_ owner: ObjectKey) { list.addOwner(owner) }

    func hold(_ owner: ManagedObject) { list.owners.hold(owner) }

    private func forgetLinks(of object: ManagedObject) {
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated()
        where property.relationship != nil {
            delta.forget(RelationshipDelta.Key(object, propertyIndex))
        }
    }

    /// Calls `block` again for objects that the delete rules have deleted.
    func followDeleteRules(_ block: ([ManagedObject]) -> Void) {
        guard !unfollowedDeletions.isEmpty else { return }
        // A hook of a deleted object may call this function again.
        let wasFollowing = isFollowingDeleteRules
        isFollowingDeleteRules = true
        delta.changeVisibility()
        defer {
            isFollowingDeleteRules = wasFollowing
            delta.changeVisibility()
        }
        while !unfollowedDeletions.isEmpty {
            let objects = unfollowedDeletions
            unfollowedDeletions = []
            block(objects)
        }
    }

    var hasUnfollowedDeletions: Bool { !unfollowedDeletions.isEmpty }

    func isUnfollowed(_ object: ManagedObject) -> Bool { unfollowedDeletions.contains { $0 === object } }

    func keepConflict(_ conflict: MergeConflict) { lostConflicts.append(conflict) }

    func keepLostEdits(_ edits: ObjectSnapshot) { lostEdits.append(edits) }

    func refuse(_ failure: ValidationFailure) {
        refusedWrites.add(failure)
        editCount &+= 1
    }

    func removeRefusedWrites() -> [ValidationFailure] {
        defer { refusedWrites = RefusedWrites() }
        return refusedWrites.failures
    }

    /// `saves` is the number of saves before the step, or nil when it is not the first change of its property.
    func isUnsaved(_ saves: UInt64?) -> Bool { saves.map { $0 >= lastSave } ?? false }

    func finishSave() {
        saveCount &+= 1
        lastSave = saveCount
        hasReusedIDs = false
        delta.removeAll()
        lostConflicts = []
        lostEdits = []
        assignedList = nil
    }

    /// Adds the changes of a save with a failed transaction below the current changes.
    func restore(_ memento: SaveMemento) {
        assignedList = nil
        var sum = memento.delta
        sum.add(delta)
        delta = sum
        lostConflicts = memento.lostConflicts + lostConflicts
        lastSave = memento.lastSave
        hasReusedIDs = hasReusedIDs || memento.hasReusedIDs
    }

    /// A delete rule must not change objects after a rollback.
    func dropUnfollowedDeletions() { unfollowedDeletions = [] }

    func dropDelta() {
        finishSave()
        refusedWrites = RefusedWrites()
    }

    func detachAll() {
        unfollowedDeletions = []
        let objects = list.objects + registry.objects
        list = DirtyList()
        for object in objects {
            move(object, on: .detach)
            object.detach()
        }
        registry.removeAll()
        dropDelta()
    }

    func followWrites(forUndo isRecording: Bool) { isFollowingWrites = isRecording || list.keys.isUsed }
}

/// The objects that a save includes, held strongly, in the order of their first changes.
struct DirtyList {
    private var entries: [ManagedObject?] = []
    private(set) var count = 0
    private(set) var keys = DirtyKeyIndex()
    var owners = LinkedOwners()
    private var counts: [Int] = []
    private(set) var deletedRootIndexes: Set<Int> = []

    private(set) var visited = 0

    var objects: [ManagedObject] { entries.compactMap { $0 } }

    mutating func visitAll() -> [ManagedObject] {
        visited += count
        return objects
    }

    func count(rootIndex: Int) -> Int { counts.indices.contains(rootIndex) ? counts[rootIndex] : 0 }

    var rootIndexes: [Int] { counts.indices.filter { counts[$0] > 0 } }

    mutating func insert(_ object: ManagedObject) {
        if object.state == .deleted { deletedRootIndexes.insert(object.descriptor.rootIndex) }
        guard object.dirtyIndex < 0 else { return }
        if entries.count > 2 * count + 64 { closeGaps() }
        object.dirtyIndex = entries.count
        if keys.isUsed { keys.insert(entries.count) }
        entries.append(object)
        count += 1
        let root = object.descriptor.rootIndex
        if counts.count <= root { counts += Array(repeating: 0, count: root + 1 - counts.count) }
        counts[root] += 1
    }

    /// A free index is not used again, so that the order stays; now and then the gaps are removed.
    private mutating func closeGaps() {
        entries.removeAll { $0 == nil }
        for (index, object) in entries.enumerated() { object?.dirtyIndex = index }
        keys.removeAll()
    }

    mutating func objects(_ key: [PropertyValue], in scope: DirtyKeyIndex.Scope, version: UInt64) -> [ManagedObject] {
        keys.listIndexes(of: key, in: scope, version: version, entries: entries).compactMap { entries[$0] }
    }

    mutating func propertyWillChange(of object: ManagedObject, _ propertyIndex: Int) {
        guard object.dirtyIndex >= 0 else { return }
        keys.change(object.dirtyIndex, rootIndex: object.descriptor.rootIndex, propertyIndex: propertyIndex)
    }

    mutating func addOwner(_ owner: ObjectKey) {
        if count > 0 { owners.insert(owner) }
    }

    mutating func remove(_ object: ManagedObject) {
        guard object.dirtyIndex >= 0 else { return }
        entries[object.dirtyIndex] = nil
        object.dirtyIndex = -1
        count -= 1
        counts[object.descriptor.rootIndex] -= 1
        if count == 0 { removeAll() }
    }

    mutating func removeAll() {
        for object in objects { object.dirtyIndex = -1 }
        entries = []
        count = 0
        counts = []
        deletedRootIndexes = []
        keys.removeAll()
        owners.removeAll()
    }
}

struct RefusedWrites {
    private(set) var failures: [ValidationFailure] = []
    private var known: Set<Target> = []

    private struct Target: Hashable {
        var id: ManagedObjectID
        var property: String?
    }

    /// The save fails in any case, so further refused writes are dropped.
    static let limit = 1_000

    var isEmpty: Bool { failures.isEmpty }

    mutating func add(_ failure: ValidationFailure) {
        guard failures.count < RefusedWrites.limit,
            known.insert(Target(id: failure.objectID, property: failure.property)).inserted
        else { return }
        failures.append(failure)
    }
}

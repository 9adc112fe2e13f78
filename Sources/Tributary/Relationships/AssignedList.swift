import TributaryChanges
import TributaryModel

#if canImport(Glibc)
    import Glibc
#endif

/// Reading an unchanged list again costs nothing, and assigning more objects at its end visits only these.
class AssignedList {
    struct Version: Equatable {
        let key: RelationshipDelta.Key
        let change: UInt64?
        let order: UInt64?
        let visibility: UInt64
        let above: UInt64?
        let saves: UInt64
        /// A relationship that is read again has another array.
        let stored: [ManagedObjectID]?

        static func == (left: Version, right: Version) -> Bool {
            left.key == right.key && left.change == right.change && left.order == right.order
                && left.visibility == right.visibility && left.above == right.above && left.saves == right.saves
                && address(left.stored) == address(right.stored)
        }

        private static func address(_ ids: [ManagedObjectID]?) -> UnsafeRawPointer? {
            ids?.withUnsafeBytes { $0.baseAddress }
        }
    }

    let version: Version
    /// The objects before the change stay alive during it, so no new object gets the address of a former object.
    var former: [ManagedObject]

    init(version: Version, former: [ManagedObject]) {
        self.version = version
        self.former = former
    }
}

private final class TypedList<Target: ManagedObject>: AssignedList {
    var objects: [Target]

    init(_ objects: [Target], version: Version, former: [ManagedObject]) {
        self.objects = objects
        super.init(version: version, former: former)
    }
}

extension ManagedObject {
    func members<Target: ManagedObject>(_ propertyIndex: Int) -> [Target] {
        if let known: TypedList<Target> = assignedList(propertyIndex) { return known.objects }
        return relatedObjects(propertyIndex).compactMap { $0 as? Target }
    }

    func assignMembers<Target: ManagedObject>(_ objects: [Target], _ propertyIndex: Int) {
        let known: TypedList<Target>? = assignedList(propertyIndex)
        var former = known?.former ?? []
        assign(objects, propertyIndex, after: known?.version, &former)
    }

    func changeMembers<Target: ManagedObject>(_ propertyIndex: Int) -> MemberAccess<Target> {
        guard let version = listVersion(propertyIndex) else {
            return MemberAccess(objects: members(propertyIndex), version: nil, former: [])
        }
        if let known: TypedList<Target> = assignedList(propertyIndex) {
            // A read during the change builds the list again.
            managedObjectContext?.pending.assignedList = nil
            let objects = exchange(&known.objects, with: [])
            return MemberAccess(
                objects: objects,
                version: version,
                former: exchange(&known.former, with: [])
            )
        }
        let objects: [Target] = members(propertyIndex)
        // A copy of the array, because the program must have the only reference to the other array.
        return MemberAccess(objects: objects, version: version, former: objects.map { $0 })
    }

    func finish<Target: ManagedObject>(_ access: inout MemberAccess<Target>, _ propertyIndex: Int) {
        managedObjectContext?.pending.assignedList = nil
        assign(access.objects, propertyIndex, after: access.version, &access.former)
    }

    private func listVersion(_ propertyIndex: Int) -> AssignedList.Version? {
        guard let context = managedObjectContext, descriptor.entity.properties.indices.contains(propertyIndex) else {
            return nil
        }
        let key = RelationshipDelta.Key(self, propertyIndex)
        return AssignedList.Version(
            key: key,
            change: context.pending.delta[key]?.version,
            order: context.pending.delta.orderings[key]?.version,
            visibility: context.pending.delta.visibility,
            above: context.above?.stateVersion,
            saves: context.pending.saveCount,
            stored: extras?.related[propertyIndex]
        )
    }

    private func assignedList<Target>(_ propertyIndex: Int) -> TypedList<Target>? {
        guard let known = managedObjectContext?.pending.assignedList as? TypedList<Target>,
            known.version == listVersion(propertyIndex)
        else { return nil }
        checkConfinement(propertyIndex)
        return known
    }

    private func assign<Target: ManagedObject>(
        _ objects: [Target],
        _ propertyIndex: Int,
        after version: AssignedList.Version?,
        _ former: inout [ManagedObject]
    ) {
        guard let context = managedObjectContext, let version, version == listVersion(propertyIndex),
            AssignedList.starts(objects, with: former), state != .deleted, state != .gone
        else {
            managedObjectContext?.pending.assignedList = nil
            return assignRelatedObjects(objects, propertyIndex)
        }
        var isWhole = true
        for object in objects[former.count...] {
            context.pending.listSteps.count += 1
            if object.managedObjectContext === context,
                !context.relationships.isRelated(self, propertyIndex, to: object.objectID),
                assignLinked(true, object, propertyIndex)
            {
                former.append(object)
            } else {
                assignLinked(true, object, propertyIndex)
                isWhole = false
            }
        }
        context.pending.assignedList =
            isWhole && context.pending.count > 0
            ? listVersion(propertyIndex).map { TypedList(objects, version: $0, former: former) } : nil
    }
}

extension ManagedObjectContext {
    package var listStepCount: Int { pending.listSteps.count }
}

struct MemberAccess<Target: ManagedObject> {
    var objects: [Target]
    fileprivate let version: AssignedList.Version?
    fileprivate var former: [ManagedObject]
}

extension AssignedList {
    fileprivate static func starts<Target: ManagedObject>(_ objects: [Target], with former: [ManagedObject]) -> Bool {
        guard objects.count >= former.count else { return false }
        return objects.withUnsafeBytes { left in
            former.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return right.isEmpty }
                return memcmp(first, second, right.count) == 0
            }
        }
    }
}

import TributaryChanges
import TributaryStore

/// The objects of a context by ID, held only while the context retains all of them: one object for each ID.
final class ObjectRegistry {
    /// The table of live objects.
    ///
    /// Objects remove themselves from it when they end, on any thread; the other properties stay on the context's queue
    /// or actor.
    let table: ObjectTable
    private(set) var isRetaining = false
    private var held: Set<ManagedObject> = []
    /// Keys of objects that have read relationships, and of some that have ended or dropped them since.
    private var readers: Set<ObjectKey> = []

    /// The entity that was used last, because consecutive look-ups often use one entity.
    private var recentKind: EntityDescriptor?

    init(rootCount: Int) {
        table = ObjectTable(rootCount: rootCount)
    }

    func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? { table.object(id, rootIndex: rootIndex) }

    func descriptor(named name: String, in schema: ObjectSchema) -> EntityDescriptor? {
        if let recentKind, recentKind.entity.name == name { return recentKind }
        guard let descriptor = schema.descriptor(named: name) else { return nil }
        recentKind = descriptor
        return descriptor
    }

    func descriptor(of row: Row, in schema: ObjectSchema) -> EntityDescriptor? {
        if let recentKind, recentKind.entity === row.entity { return recentKind }
        return descriptor(named: row.entity.name, in: schema)
    }

    var objects: [ManagedObject] { table.objects }

    var count: Int { table.count }

    var relationshipReaders: [ManagedObject] {
        var live: [ManagedObject] = []
        readers = readers.filter { key in
            guard let object = table.object(key.id, rootIndex: key.rootIndex),
                object.extras?.related.isEmpty == false
            else { return false }
            live.append(object)
            return true
        }
        return live
    }

    func keep(_ ids: [ManagedObjectID], at propertyIndex: Int, of object: ManagedObject) {
        object.makeExtras().related[propertyIndex] = ids
        readers.insert(object.key)
        if readers.count > 2 * count + ObjectRegistry.leastReaders { _ = relationshipReaders }
    }

    /// The minimum number of keys before those without a live object are removed.
    private static let leastReaders = 1_024

    func retain(_ isRetaining: Bool) {
        guard self.isRetaining != isRetaining else { return }
        self.isRetaining = isRetaining
        held = isRetaining ? Set(objects) : []
    }

    func reserve(_ count: Int, rootIndex: Int) { table.reserve(count, rootIndex: rootIndex) }

    /// Registers an object, and replaces the object that had its ID.
    func register(_ object: ManagedObject) {
        if isRetaining {
            if let former = table.object(object.uniqueID, rootIndex: object.descriptor.rootIndex) {
                held.remove(former)
            }
            held.insert(object)
        }
        table.insert(object)
        if object.extras?.related.isEmpty == false { readers.insert(object.key) }
    }

    func remove(_ object: ManagedObject) {
        table.remove(object)
        if isRetaining { held.remove(object) }
    }

    func removeAll() {
        table.removeAll()
        held = []
        readers = []
    }
}

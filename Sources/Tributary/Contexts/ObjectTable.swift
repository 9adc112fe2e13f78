import CLinux
import Synchronization
import TributaryChanges

/// The live objects of a context by ID, without holding them: an object removes itself when it ends.
///
/// Weak references would work as well, but give each object a side table, which makes every later retain and release of
/// the object several times as expensive as reading an attribute.
///
/// Objects stay on their context's queue or actor, but the last reference to an object may be released elsewhere, as at
/// the end of an actor's own state. Therefore the table has a lock: an object that ends waits for it before its memory
/// is freed, and a look-up meanwhile finds the object only if it could still be retained. Nothing is released under the
/// lock.
final class ObjectTable: Sendable {
    private struct State {
        var tables: [AddressTable]

        init(rootCount: Int) {
            // The last table is for objects of entities that the model does not have.
            tables = (0...rootCount).map { _ in AddressTable() }
        }
    }

    private let state: Mutex<State>

    init(rootCount: Int) {
        state = Mutex(State(rootCount: rootCount))
    }

    var count: Int { state.withLock { $0.tables.reduce(0) { $0 + $1.count } } }

    func object(_ id: UniqueID, rootIndex: Int) -> ManagedObject? {
        let retained = state.withLock { state in
            state.tables[rootIndex][id].flatMap(ObjectTable.retain)
        }
        return retained.flatMap(ObjectTable.takeRetained)
    }

    var objects: [ManagedObject] {
        let retained = state.withLock { $0.tables.flatMap { $0.addresses.compactMap(ObjectTable.retain) } }
        return retained.compactMap(ObjectTable.takeRetained)
    }

    func insert(_ object: ManagedObject) {
        let (id, table, address) = (object.uniqueID, object.descriptor.rootIndex, ObjectTable.address(of: object))
        object.tablePlace = state.withLock { UInt32(truncatingIfNeeded: $0.tables[table].insert(address, for: id)) }
    }

    /// Removes an object; does nothing when another object has its ID.
    func remove(_ object: ManagedObject) {
        let (id, table, address) = (object.uniqueID, object.descriptor.rootIndex, ObjectTable.address(of: object))
        let place = Int(object.tablePlace)
        state.withLock { $0.tables[table].remove(address, for: id, at: place) }
    }

    func removeAll() {
        state.withLock { $0 = State(rootCount: $0.tables.count - 1) }
    }

    func reserve(_ count: Int, rootIndex: Int) {
        state.withLock { $0.tables[rootIndex].reserve(count) }
    }

    // MARK: Addresses

    private static func address(of object: ManagedObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// Retains the object at an address for `takeRetained` to release; nil when its deinitialization has begun.
    ///
    /// `swift_tryRetain` is exported by Swift's runtime, which uses it for `unowned` references, and is no public
    /// interface. `RuntimeRetainTests` fails when a runtime behaves otherwise. Nothing public does the same: `Unmanaged`
    /// retains an object whose end has begun, and a weak reference gives
    /// the object a side table, which makes each later retain and release 3.3 times as expensive (13.7 and 46.0 ns).
    static func retain(_ address: UInt) -> UInt? {
        UnsafeMutableRawPointer(bitPattern: address).flatMap { swift_tryRetain($0) }.map { UInt(bitPattern: $0) }
    }

    private static func takeRetained(_ address: UInt) -> ManagedObject? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0).takeRetainedValue() }
    }
}

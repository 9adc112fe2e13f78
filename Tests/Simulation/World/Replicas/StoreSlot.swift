import Foundation
import Synchronization
import TestSupport
import TributaryChanges
import TributaryModel
import TributaryStore

/// A place for the store of a replica, which schedules use one after the other.
///
/// Opening a store and preparing its statements takes longer than all that a schedule does. So the store of a finished
/// schedule stays open, and the next schedule begins with the bytes of an empty store below it. A store has no state
/// but its files between two transactions.
final class StoreSlot: Sendable {
    /// Slots with equal keys may replace each other: their empty stores have one writer and one model.
    private struct Key: Hashable {
        var index: Int
        var model: String
    }

    /// The slots that no replica uses, with their open stores.
    private static let free = Mutex<[Key: [(slot: StoreSlot, store: Store)]]>([:])

    let configuration: StoreConfiguration
    let environment = ReplicaEnvironment()
    /// Tells the slot from others.
    let number: Int
    private let key: Key
    /// The files of the empty store.
    private let empty: StoreImage

    /// The folder of all slots; the process removes it when it exits, since nothing releases the stores before.
    private static let folder = Mutex<TemporaryFolder?>(nil)
    private static let count = Atomic(0)

    private init(_ key: Key, model: Model) throws {
        self.key = key
        number = StoreSlot.count.add(1, ordering: .relaxed).newValue
        configuration = StoreConfiguration(
            path: try StoreSlot.path("store-\(number).sqlite"),
            name: "replica-\(key.index)",
            model: model,
            environment: environment.ofStore
        )
        empty = try EmptyStores.make(configuration, index: key.index)
    }

    private static func path(_ name: String) throws -> String {
        try folder.withLock { folder in
            if let folder { return folder.path(name) }
            let made = try TemporaryFolder.inMemory("simulated")
            folder = made
            atexit { StoreSlot.folder.withLock { $0 = nil } }
            return made.path(name)
        }
    }

    /// A slot that nobody else uses, with an open and empty store on the machine of its environment, which `begin` sets
    /// up; the number of the replica decides which writer it is.
    static func take(
        _ index: Int,
        model: Model,
        _ begin: (ReplicaEnvironment) throws -> Void
    ) throws -> (slot: StoreSlot, store: Store) {
        let key = Key(index: index, model: model.versionHash)
        let found = free.withLock { $0[key]?.popLast() }
        let slot = try found?.slot ?? StoreSlot(key, model: model)
        try begin(slot.environment)
        if let found { try slot.restore(slot.empty, below: found.store) }
        let store = try found?.store ?? Store.open(slot.configuration)
        let (path, home) = (slot.configuration.path, slot.environment.home(slot.configuration.path))
        try store.write { transaction in
            try transaction.setSetting(IdentityKeys.machine, to: home?.machine)
            try transaction.setSetting(IdentityKeys.store, to: home?.store.text)
        }
        // As the creation of the store leaves it.
        let history = String(repeating: "\0", count: 64)
        let token = "\(history)\(try store.read { try $0.writers.own().id }) 0 \(HybridClock.zero) 0 \n"
        if let file = slot.environment.token(ofStoreAt: path) {
            try token.write(toFile: file, atomically: false, encoding: .utf8)
        }
        return (slot, store)
    }

    /// Gives the slot's open store, on which no transaction is open, the bytes of a store with equal tables.
    func restore(_ image: StoreImage, below store: Store) throws {
        try image.restore(below: configuration.path)
        try store.write { transaction in
            try transaction.setSetting("simulation.restored", to: "1")
            try transaction.setSetting("simulation.restored", to: nil)
        }
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] { unlink(configuration.path + suffix) }
    }

    /// Gives the slot back for the next schedule; the store must be open and have its first model.
    func giveBack(_ store: Store) { StoreSlot.free.withLock { $0[key, default: []].append((self, store)) } }
}

import Synchronization
import TestSupport
import TributaryModel
import TributaryStore

/// The files of new stores, which are made once for all schedules.
enum EmptyStores {
    private struct Key: Hashable {
        var index: Int
        var name: String
        var model: String
    }

    private static let images = Mutex<[Key: StoreImage]>([:])

    /// Opens the scratch store of a compaction or a check, which is a new one.
    static func scratch(_ configuration: StoreConfiguration) throws -> Store {
        // The number of no replica: a scratch store must be a writer that nobody becomes.
        _ = try make(configuration, index: 1_000_000)
        return try Store.open(configuration)
    }

    /// Makes the files of a new store; the number of the replica decides which writer it is.
    static func make(_ configuration: StoreConfiguration, index: Int) throws -> StoreImage {
        let key = Key(index: index, name: configuration.name, model: configuration.model.versionHash)
        if let image = images.withLock({ $0[key] }) {
            try image.restore(to: configuration.path)
            return image
        }
        let clock = SimulatedClock()
        let random = Mutex(SeededGenerator(seed: UInt64(index) + 1))
        var fixed = configuration
        fixed.environment = StoreEnvironment(
            wallTime: { clock.time() },
            random: { random.withLock { $0.next() } }
        )
        fixed.environment.tokens = { _ in nil }
        try Store.open(fixed).close()
        let image = try StoreImage(of: configuration.path, isClosed: true)
        try image.restore(to: configuration.path)
        images.withLock { $0[key] = image }
        return image
    }
}

import Foundation
import GRDB
package import TributaryChanges
package import TributaryModel

package struct StoreConfiguration: Sendable {
    package var path: String
    package var name: String
    package var model: Model
    package var environment: StoreEnvironment
    package internal(set) var memory: MemoryFolder?
    /// The store is removed after its use, so its commits need not wait for the disk.
    package var isScratch = false
    package var formerVersions = ModelVersions.none
    package var trace: SQLTrace?
    /// Whether a token that a clean close left on the disk lets the store keep its writer after a reboot.
    package var trustsReboot = false
    var token: WriterToken?

    package init(path: String, name: String, model: Model, environment: StoreEnvironment = .system) {
        self.path = path
        self.name = name
        self.model = model
        self.environment = environment
    }
}

extension StoreConfiguration {
    package static func memory(name: String, model: Model) throws(StoreError) -> StoreConfiguration {
        let folder = try MemoryFolder()
        var configuration = StoreConfiguration(path: folder.path + "/store.sqlite", name: name, model: model)
        configuration.memory = folder
        return configuration
    }
}

package struct StoreEnvironment: Sendable {
    package var wallTime: @Sendable () -> WallTime
    package var random: @Sendable () -> UInt64
    package var home: @Sendable (_ path: String) -> StoreHome?
    /// The private folder of a user's writer tokens, on a file system in memory.
    package var tokens: @Sendable (_ user: UInt32) -> String? = { WriterToken.Folder.path(of: $0) }
    /// The wall clock minus the time since boot, in milliseconds.
    package var clockDifference: @Sendable () -> Int64 = { WriterToken.Folder.clockDifference }

    package init(
        wallTime: @escaping @Sendable () -> WallTime,
        random: @escaping @Sendable () -> UInt64,
        home: @escaping @Sendable (_ path: String) -> StoreHome? = { _ in nil }
    ) {
        self.wallTime = wallTime
        self.random = random
        self.home = home
    }

    package static let system: StoreEnvironment = {
        let supply = RandomSupply()
        return StoreEnvironment(
            wallTime: { WallTime(Date()) },
            random: { supply.next() },
            home: { StoreHome(ofStoreAt: $0) }
        )
    }()

    package func newID() -> UniqueID {
        .version7(at: wallTime(), random: (random(), random()))
    }
}

package struct StoreContext: Sendable {
    package let configuration: StoreConfiguration
    package let layout: StoreModel

    /// Nil for a store in memory, which keeps large binaries in rows.
    let blobs: BlobFolder?

    var name: String { configuration.name }
    var model: Model { configuration.model }

    package init(configuration: StoreConfiguration, layout: StoreModel) {
        self.configuration = configuration
        self.layout = layout
        blobs = configuration.memory == nil ? BlobFolder(storePath: configuration.path) : nil
    }
}

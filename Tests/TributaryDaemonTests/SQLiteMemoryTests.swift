import Foundation
import TestSupport
import Testing
import TributaryDaemon
import TributaryModel
import TributaryStore

/// Reads and imports allocate at the same time: the daemon lets no account of SQLite make one wait for the other.
@Suite struct SQLiteMemoryTests {
    @Test func theDaemonHasSQLiteKeepNoAccountOfItsMemory() async throws {
        await #expect(processExitsWith: .success) {
            // Ends with an error, but only after it has set the process up.
            _ = await DaemonLaunch(flags: [:], file: "/nowhere/tributary.yaml").run(.checkConfiguration)
            let folder = try TemporaryFolder("accounts")
            let model = try Model(version: "1", entities: [EntityDefinition(name: "Employee")])
            let store = try Store.open(StoreConfiguration(path: folder.path("store.sqlite"), name: "t", model: model))
            let count = SQLiteMemory.accountedBytes
            try store.close()
            guard count == 0 else { exit(1) }
        }
    }

    @Test func anAccountThatIsKeptStays() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder("accounts")
            let model = try Model(version: "1", entities: [EntityDefinition(name: "Employee")])
            let store = try Store.open(StoreConfiguration(path: folder.path("store.sqlite"), name: "t", model: model))
            guard !SQLiteMemory.disableAccounting(), SQLiteMemory.accountedBytes > 0 else { exit(1) }
            try store.close()
        }
    }
}

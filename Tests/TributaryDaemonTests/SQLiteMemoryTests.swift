import CSQLite
import Foundation
import TestSupport
import Testing
import TributaryModel
import TributaryStore

@testable import TributaryDaemon

/// Reads and imports allocate concurrently: SQLite's memory statistics, which take a lock, are off in the daemon.
@Suite struct SQLiteMemoryTests {
    @Test func theDaemonHasSQLiteKeepNoAccountOfItsMemory() async throws {
        await #expect(processExitsWith: .success) {
            // The launch fails, but only after it has configured the process.
            _ = await DaemonLaunch(flags: [:], file: "/nowhere/tributary.yaml").run(.checkConfiguration)
            let folder = try TemporaryFolder("accounts")
            let model = try Model(yaml: EmployeeModel.text)
            let store = try Store.open(StoreConfiguration(path: folder.path("store.sqlite"), name: "t", model: model))
            let count = sqlite3_memory_used()
            try store.close()
            guard count == 0 else { exit(1) }
        }
    }

    @Test func anAccountThatIsKeptStays() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder("accounts")
            let model = try Model(yaml: EmployeeModel.text)
            let store = try Store.open(StoreConfiguration(path: folder.path("store.sqlite"), name: "t", model: model))
            guard !SQLiteMemory.disableAccounting(), sqlite3_memory_used() > 0 else { exit(1) }
            try store.close()
        }
    }
}

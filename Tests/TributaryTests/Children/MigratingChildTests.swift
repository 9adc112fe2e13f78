import Foundation
import Synchronization
import TestSupport
import Testing
import TributaryMigration
import TributaryStore

@testable import Tributary

/// The process that is killed in the middle of a migration: a test run of this test alone.
@Suite struct MigratingChildTests {
    static let variable = "TRIBUTARY_MIGRATING_STORE"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func migratesUntilItIsKilled() throws {
        guard let path = ProcessInfo.processInfo.environment[Self.variable] else { return }
        let configuration = StoreConfiguration(path: path, name: "test", model: try MigrationKillTests.model(2))
        // Tells that it is in the middle, in the given report, and waits for its end.
        let wanted = ProcessInfo.processInfo.environment["TRIBUTARY_MIGRATING_REPORT"].flatMap { Int($0) } ?? 1
        let reports = Atomic(0)
        var settings = MigrationSettings()
        settings.report = { _ in
            guard reports.add(1, ordering: .relaxed).newValue == wanted else { return }
            let pipe = open(path + ".middle", O_WRONLY | O_CLOEXEC)
            write(pipe, "m", 1)
            while true { pause() }
        }
        try Store.open(configuration, migrator: Migrator(settings)).close()
    }
}

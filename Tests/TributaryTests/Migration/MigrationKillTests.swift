import Foundation
import Synchronization
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// A process is killed in the middle of a migration; the next one starts again and comes to the same.
@Suite struct MigrationKillTests {
    static func model(_ version: Int) throws -> Model {
        let first = """
            A: {attributes: {n: Integer 16?, gone: String?}, relationships: {b: {to: B?}}}, B: {attributes: {y: String?}}
            """
        let second = """
            Z: {renamed_from: A, attributes: {n: Double?}, relationships: {b: {to: B, many: true}}}, \
            B: {attributes: {w: {type: String, optional: true, renamed_from: y}}}
            """
        return try Model(yaml: "version: \"\(version)\"\nentities: {\(version == 1 ? first : second)}")
    }

    private func fill(_ path: String) async throws {
        let container = try await PersistentContainer(name: "test", path: path, model: try Self.model(1))
        try await container.save { context in
            for number in 0..<50 {
                let target = try context.insert("B", ["y": .string("b\(number)")])
                let object = try context.insert(entity: "A")
                try object.setValue(.integer(Int64(number)), forKey: "n")
                try object.setValue(.string("gone"), forKey: "gone")
                try object.setValue(.reference(target.uniqueID), forKey: "b")
            }
        }
    }

    private func state(_ path: String) throws -> (rows: [[String?]], digest: String) {
        let sql = PlainSQL(path: path)
        let rows = try sql.rows(
            "SELECT Z.n, B.w FROM Z JOIN Z_b ON Z._id = Z_b._source JOIN B ON B._id = Z_b._target ORDER BY Z.n"
        )
        let parked = try sql.value("SELECT count(*) FROM tributary_parked WHERE property = 'gone'") ?? ""
        return (rows, parked)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [1, 2, 3, 4])
    func aKilledMigrationStartsAgainAndComesToTheSame(report: Int) async throws {
        let folder = try TemporaryFolder("killed")
        let path = folder.path("store.sqlite")
        try await fill(path)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path("calm.sqlite\(suffix)"))
        }
        #expect(mkfifo(path + ".middle", 0o600) == 0)
        let pipe = open(path + ".middle", O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let child = try ChildProcess.test(
            "MigratingChildTests",
            [MigratingChildTests.variable: path, "TRIBUTARY_MIGRATING_REPORT": "\(report)"]
        )
        // Something comes out of the pipe when the child is in the middle, or when it has ended.
        let end = Task {
            _ = await child.ending()
            write(pipe, "e", 1)
        }
        let heard = try await onThread {
            var byte: UInt8 = 0
            return read(pipe, &byte, 1) == 1 ? byte : 0
        }
        #expect(heard == UInt8(ascii: "m"))
        child.send(SIGKILL)
        #expect(await child.ending() == .signalled(SIGKILL))
        await end.value
        #expect(try PlainSQL(path: path).value("SELECT count(*) FROM A WHERE gone = 'gone'") == "50")

        let again = try await PersistentContainer(name: "test", path: path, model: try Self.model(2))
        let calm = try await PersistentContainer(
            name: "test",
            path: folder.path("calm.sqlite"),
            model: try Self.model(2)
        )
        let (left, right) = (try state(path), try state(folder.path("calm.sqlite")))
        #expect(left.rows == right.rows && left.rows.count == 50 && left.digest == right.digest)
        // A kill within a transaction, and the copy of a store, are followed by a fresh writer.
        let counts = try [again, calm].map { try $0.store.read { try $0.writers.all().map(\.sequence).reduce(0, +) } }
        #expect(counts == [2, 2])
        try await again.close()
        try await calm.close()
    }
}

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

import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A backup is put into place while the daemon is stopped, and taken into use at the next start.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct RestoreTests {
    private func insert(_ title: String, into daemon: RunningDaemon) async throws {
        try await daemon.save(#"{"insert":"Department","values":{"title":"\#(title)"}}"#)
    }

    private func titles(_ daemon: RunningDaemon) throws -> [String] {
        try PlainSQL(path: daemon.store).rows("SELECT title FROM Department ORDER BY title").compactMap {
            $0.first ?? nil
        }
    }

    /// A running daemon, and a backup of its store with one of its two objects.
    private func backedUp() async throws -> (daemon: RunningDaemon, backup: String) {
        let daemon = try await RunningDaemon.started()
        try await insert("before", into: daemon)
        let backup = daemon.folder.path("backup.sqlite")
        try await daemon.success(of: ["backup", backup])
        try await insert("after", into: daemon)
        try await daemon.success(of: ["sync"])
        return (daemon, backup)
    }

    @Test func aBackupIsPutIntoPlaceAndMarked() async throws {
        let (daemon, backup) = try await backedUp()
        let busy = try await daemon.command(["restore", backup, "--store", daemon.store, "--move-aside"])
        #expect(busy.ending == .exited(75) && busy.errors.contains("a daemon has the store"), "\(busy)")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try await daemon.expect(64, of: ["restore", backup, "--store", daemon.store], errors: "--move-aside")
        let former = daemon.folder.path("former.sqlite")
        try FileManager.default.copyItem(atPath: backup, toPath: former)
        try PlainSQL(path: former).execute("PRAGMA user_version = 5")
        let other = try await daemon.command(["restore", former, "--store", daemon.store, "--move-aside"])
        #expect(other.ending == .exited(78) && other.errors.contains("has format 5"), "\(other)")
        #expect(try titles(daemon) == ["after", "before"])

        try await daemon.success(of: ["restore", backup, "--store", daemon.store, "--move-aside"])
        #expect(try titles(daemon) == ["before"])
        let marker = daemon.store + ".restored"
        var status = stat()
        #expect(stat(marker, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(stat(daemon.store, &status) == 0 && status.st_mode & 0o777 == 0o640)
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        let aside = try #require(names.first { $0.contains(".before-restore-") && $0.hasSuffix("Z") })
        #expect(try PlainSQL(path: daemon.folder.path(aside)).value("SELECT count(*) FROM Department") == "2")

        try await daemon.start()
        #expect(!FileManager.default.fileExists(atPath: marker))
        let sql = PlainSQL(path: daemon.store)
        let restored = try sql.value("SELECT value FROM tributary_setting WHERE key = 'identity.restored'")
        #expect(restored.flatMap { UInt64($0) } != nil)
        #expect(try sql.value("SELECT count(*) FROM sqlite_schema WHERE name = 'tributary_blob'") == "0")
    }

    /// In the default place a backup would restore nothing: the service has another store.
    @Test func aStoreThatHasMovedIsNotRestoredInItsFormerPlace() async throws {
        if geteuid() == 0 { try Test.cancel("root restores the store of the service") }
        let folder = try TemporaryFolder("moved")
        try folder.write("/srv/other/store.sqlite\n", to: "tributary/last-store")
        let arguments = ["restore", folder.path("backup.sqlite")]
        let answer = try await Answer(
            of: arguments,
            to: "tributaryctl",
            in: folder,
            environment: ["XDG_STATE_HOME": folder.path]
        )
        #expect(answer.ending == .exited(64) && answer.errors.contains("'/srv/other/store.sqlite'"), "\(answer)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("tributary")) == ["last-store"])
    }

    /// The former writer's later transactions come back from the folder, and the new writer's do not collide with them.
    @Test func aRestoredStoreGoesOnAsAnotherWriter() async throws {
        let (daemon, backup) = try await backedUp()
        let own = "SELECT uuid FROM tributary_writer WHERE is_self = 1"
        let sql = PlainSQL(path: daemon.store)
        let former = try #require(try sql.value(own))
        let token = try #require(try await daemon.call(.get, "/v1/history").1["token"] as? String)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let restore = ["restore", backup, "--store", daemon.store, "--move-aside"]
        try await daemon.success(of: restore)

        try await daemon.start()
        // Tokens from before the restoration are of a history that has ended; new ones are accepted.
        #expect(try await daemon.call(.get, "/v1/history?after=\(token)").0 == 410)
        let history = try await daemon.call(.get, "/v1/history").1
        let next = try #require(history["token"] as? String)
        #expect(try await daemon.call(.get, "/v1/history?after=\(next)").0 == 200)
        try await daemon.success(of: ["sync"])
        #expect(try titles(daemon) == ["after", "before"])
        try await insert("later", into: daemon)
        let writer = try #require(try sql.value(own))
        #expect(writer != former, "\(daemon.log)")
        try await daemon.success(of: ["sync"])
        try await daemon.success(of: ["status", "--check"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")

        try await daemon.start()
        #expect(try sql.value(own) == writer)
        try await daemon.success(of: ["check"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        // A new machine that imports the folder has the same.
        try await daemon.success(of: ["restore", "--from-logs", "--store", daemon.store])
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        #expect(try titles(daemon) == ["after", "before", "later"])
    }

    /// A store that was put into place must not lose its marker: it would continue as the writer of the backup.
    @Test func aFailedRestorationLeavesTheMarkerOfTheOneBefore() async throws {
        let (daemon, backup) = try await backedUp()
        let link = daemon.folder.path("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: daemon.store)
        let busy = try await daemon.command(["restore", backup, "--store", link, "--move-aside"])
        #expect(busy.ending == .exited(75) && busy.errors.contains("a daemon has the store"), "\(busy)")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        // The rollback journal of a store with so long a name cannot be moved; what was moved before it comes back.
        let long = daemon.folder.path(String(repeating: "s", count: 211) + ".sqlite")
        try await daemon.success(of: ["restore", backup, "--store", long])
        let marked = try Data(contentsOf: URL(fileURLWithPath: long + ".restored"))
        for suffix in ["-wal", "-journal"] { try Data(suffix.utf8).write(to: URL(fileURLWithPath: long + suffix)) }
        for restoration in [[backup, "--move-aside"], ["--from-logs"]] {
            try await daemon.expect(74, of: ["restore", "--store", long] + restoration, errors: "File name too long")
            #expect(try Data(contentsOf: URL(fileURLWithPath: long + ".restored")) == marked)
            for suffix in ["-wal", "-journal"] {
                #expect(try Data(contentsOf: URL(fileURLWithPath: long + suffix)) == Data(suffix.utf8))
            }
        }
    }

    /// SQLite would apply a write-ahead log that an earlier store left behind to the restored one.
    @Test func aWriteAheadLogOfAnEarlierStoreIsNoPlaceForABackup() async throws {
        let (daemon, backup) = try await backedUp()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let place = daemon.folder.path("left.sqlite")
        try Data("frames".utf8).write(to: URL(fileURLWithPath: place + "-wal"))
        let refused = try await daemon.command(["restore", backup, "--store", place])
        #expect(refused.ending == .exited(64) && !FileManager.default.fileExists(atPath: place), "\(refused)")
        let moved = try await daemon.command(["restore", backup, "--store", place, "--move-aside"])
        #expect(moved.ending == .exited(0) && !FileManager.default.fileExists(atPath: place + "-wal"), "\(moved)")
    }

    /// A store that went without its write-ahead log would lack its last saves.
    @Test func aStoreIsMovedAwayAsAWholeOrNotAtAll() async throws {
        let (daemon, backup) = try await backedUp()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        // The new name of the folder of large values is too long, and those of the files are not.
        let name = String(repeating: "s", count: 219)
        let files = ["", "-wal", "-shm"].map { name + $0 }
        for file in files { try daemon.folder.write("a store", to: file) }
        let blobs = daemon.folder.path(name + "-blobs")
        try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: false)
        for restore in [[backup, "--move-aside"], ["--from-logs"]] {
            let refused = try await daemon.command(["restore", "--store", daemon.folder.path(name)] + restore)
            #expect(refused.ending == .exited(74) && refused.errors.contains("-blobs"), "\(refused)")
            for file in files { #expect(FileManager.default.fileExists(atPath: daemon.folder.path(file)), "\(file)") }
            #expect(!FileManager.default.fileExists(atPath: daemon.folder.path(name + ".restored")))
        }
        // Two stores of one name are moved away, also within one second.
        for _ in 0..<2 {
            for file in ["left", "left-wal"] { try daemon.folder.write("a store", to: file) }
            try await daemon.success(of: ["restore", "--from-logs", "--store", daemon.folder.path("left")])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        #expect(names.count { $0.hasPrefix("left.before-restore-") } == 4, "\(names)")
    }

    /// The former store has been moved away when the last step fails: the error says where it is, and how to go on.
    @Test(arguments: [false, true])
    func anErrorOfTheLastStepNamesTheStoreThatWasMovedAway(fromLogs: Bool) async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let (daemon, backup) = try await backedUp()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let faults = try await FaultControl(in: daemon.folder)
        // The folder is synchronized for the marker first, and then for the store that was moved away.
        faults.begin(
            fromLogs
                ? .failing(.sync, daemon.folder.path, EIO, skipped: 1) : .failing(.rename, daemon.store, ENOSPC)
        )
        let failed = try await daemon.command(
            ["restore", "--store", daemon.store] + (fromLogs ? ["--from-logs"] : [backup, "--move-aside"]),
            environment: faults.environment
        )
        #expect(faults.hits() == 1 && failed.ending == .exited(74), "\(failed)")
        let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        let aside = try #require(names.first { $0.contains(".before-restore-") && $0.hasSuffix("Z") }, "\(names)")
        #expect(failed.errors.contains("is now '\(daemon.folder.path(aside))'"), "\(failed)")
        #expect(try PlainSQL(path: daemon.folder.path(aside)).value("SELECT count(*) FROM Department") == "2")
        // The command that the error names.
        let line = failed.errors.split(separator: "\n").first { $0.contains("tributaryctl restore ") }
        let command = try #require(line?.components(separatedBy: "tributaryctl ").last, "\(failed)")
        let words = command.split(separator: " ").map(String.init)
        #expect(try await daemon.command(words).ending == .exited(0), "\(words)")
        // The new store learns the former model versions from it all the same.
        #expect(try !fromLogs || RestoreMarker.read(besideStore: daemon.store)?.former == aside)
        try await daemon.start()
        #expect(try await daemon.command(["sync"]).ending == .exited(0), "\(daemon.log)")
        #expect(try titles(daemon) == ["after", "before"])
    }

    @Test func badBackupsAreRefused() async throws {
        let (daemon, backup) = try await backedUp()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let place = daemon.folder.path("new.sqlite")
        try await daemon.expect(66, of: ["restore", backup + "-none", "--store", place])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
        func refusal(_ change: (inout Data) -> Void, _ more: [String] = []) async throws -> ChildProcess.Ending {
            var changed = bytes
            change(&changed)
            let file = daemon.folder.path("changed.sqlite")
            try changed.write(to: URL(fileURLWithPath: file))
            return try await daemon.command(["restore", file, "--store", place] + more).ending
        }
        #expect(try await refusal { $0 = $0.prefix(5_000) } == .exited(65))
        #expect(try await refusal { $0 = Data("no store".utf8) } == .exited(65))
        #expect(try await refusal { $0[68] = 0 } == .exited(65))
        #expect(try await refusal { $0[63] = 99 } == .exited(78))
        #expect(try await refusal({ _ in }, ["--sha256", String(repeating: "0", count: 64)]) == .exited(65))
        #expect(!FileManager.default.fileExists(atPath: place))
        #expect(!FileManager.default.fileExists(atPath: place + ".restored"))
    }

    /// Bytes that change between the backup and the next start.
    @Test func aStoreThatIsNotTheBackupIsNotStarted() async throws {
        let (daemon, backup) = try await backedUp()
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let restore = ["restore", backup, "--store", daemon.store, "--move-aside"]
        try await daemon.success(of: restore)
        try PlainSQL(path: daemon.store).execute("UPDATE Department SET title = 'other'")
        let process = try daemon.spawn()
        #expect(await process.ending() == .exited(78))
        #expect(daemon.journal.contains("its bytes differ from the backup"), "\(daemon.log)")
        try FileManager.default.removeItem(atPath: daemon.store)
        let without = try daemon.spawn()
        #expect(await without.ending() == .exited(78))
        #expect(daemon.journal.contains("restore was interrupted"), "\(daemon.log)")
        try Data("no marker".utf8).write(to: URL(filePath: daemon.store + ".restored"))
        let unreadable = try daemon.spawn()
        #expect(await unreadable.ending() == .exited(78))
        #expect(daemon.journal.contains("cannot be read as the marker of a restoration"), "\(daemon.log)")
        // Both ways out work: the backup again, or the log folder.
        try await daemon.success(of: restore)
        #expect(FileManager.default.fileExists(atPath: daemon.store))
        try FileManager.default.removeItem(atPath: daemon.store)
        try await daemon.success(of: ["restore", "--from-logs", "--store", daemon.store])
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        #expect(try titles(daemon) == ["after", "before"])
    }

    @Test func largeValuesComeBack() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(
            """
            version: "1"
            entities:
              Drawing:
                attributes:
                  name: String
                  image: {type: Binary, optional: true, external: true}
            """,
            to: "model.yaml"
        )
        try await daemon.start()
        let image = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let values = #"{"name":"plan","image":"\#(image.base64EncodedString())"}"#
        try await daemon.save(#"{"insert":"Drawing","values":\#(values)}"#)
        let backup = daemon.folder.path("backup.sqlite")
        try await daemon.success(of: ["backup", backup])
        #expect(try PlainSQL(path: backup).value("SELECT length(bytes) FROM tributary_blob") == "300000")
        try await daemon.success(of: ["--json", "check"], output: "\"values\":1")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let restore = ["restore", backup, "--store", daemon.store, "--move-aside"]
        try await daemon.success(of: restore)
        #expect(!FileManager.default.fileExists(atPath: daemon.store + "-blobs"))
        try await daemon.start()
        let shown = try await daemon.call(.get, "/v1/objects/Drawing").1
        let objects = try #require(shown["objects"] as? [[String: Any]])
        let restored = try #require(objects.first?["values"] as? [String: Any])
        #expect(restored["image"] as? String == image.base64EncodedString())

        // A value whose file is gone is a problem that a backup tells, unless the import brings it back.
        try await daemon.success(of: ["sync"])
        let series = daemon.folder.path("series")
        try FileManager.default.createDirectory(atPath: series, withIntermediateDirectories: true)
        try await daemon.success(of: ["backup", "--keep", "1", series])
        let complete = try FileManager.default.contentsOfDirectory(atPath: series)
        try FileManager.default.removeItem(atPath: daemon.store + "-blobs")
        try await daemon.expect(75, of: ["check"], output: "large value")
        try await daemon.success(of: ["backup", daemon.folder.path("partial.sqlite")], errors: "lacks 1 large value")

        // Beside such a backup the last complete one stays, however few are to be kept.
        for count in 2...3 {
            let kept = try await daemon.success(of: ["backup", "--keep", "1", series], errors: "lacks 1 large value")
            #expect(!kept.output.contains("removed "), "\(kept)")
            let names = try FileManager.default.contentsOfDirectory(atPath: series)
            #expect(names.count == count && complete.count == 1 && names.contains(complete[0]), "\(names)")
        }
    }

    @Test func aStoreIsBuiltFromTheLogFolder() async throws {
        let (daemon, _) = try await backedUp()
        let writer = try PlainSQL(path: daemon.store).value("SELECT uuid FROM tributary_writer WHERE is_self = 1")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try await daemon.success(of: ["restore", "--from-logs", "--store", daemon.store])
        #expect(!FileManager.default.fileExists(atPath: daemon.store))
        try await daemon.expect(66, of: ["restore", "--from-logs", "--store", daemon.store])
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        #expect(try titles(daemon) == ["after", "before"])
        #expect(try PlainSQL(path: daemon.store).value("SELECT uuid FROM tributary_writer WHERE is_self = 1") != writer)
        try await daemon.success(of: ["check"])
    }

    /// A new store knows the names of all versions of the model that the one before it has had, as the store of a check
    /// does, also when the newest version does not name them any more.
    @Test func aStoreThatIsBuiltAnewResolvesFormerNames() async throws {
        let daemon = try RunningDaemon()
        for (version, properties) in [
            "{name: String}", "{title: {type: String, renamed_from: name}}", "{title: String, extra: String?}",
        ].enumerated() {
            let model = "version: \"\(version + 1)\"\nentities:\n  Paper: {attributes: \(properties)}\n"
            try daemon.folder.write(model, to: "model.yaml")
            try await daemon.start()
            if version == 0 {
                try await daemon.save(#"{"insert":"Paper","values":{"name":"plan"}}"#)
                try await daemon.success(of: ["sync"])
            }
            try await daemon.success(of: ["check"])
            #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        }
        // A store that differs: the hint of the check works as it stands.
        try PlainSQL(path: daemon.store).execute("UPDATE Paper SET title = 'other'")
        try await daemon.start()
        let check = try await daemon.expect(75, of: ["--socket", daemon.socket, "check"])
        let hint = try #require(check.output.split(separator: "\n").first { $0.contains("tributaryctl ") }, "\(check)")
        let command = try #require(hint.components(separatedBy: "tributaryctl ").last)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try await daemon.success(of: command.split(separator: " ").map(String.init))
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        #expect(try PlainSQL(path: daemon.store).rows("SELECT title FROM Paper") == [["plan"]], "\(daemon.log)")
        #expect(!FileManager.default.fileExists(atPath: daemon.store + ".restored"))
        try await daemon.success(of: ["check"])
    }
}

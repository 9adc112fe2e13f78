import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

/// A backup is one file with the whole store, or nothing.
@Suite(.daemonTurns) struct BackupTests {
    /// Inserts a department with a long title, so that a backup does not fit into the buffers of a socket.
    private func fill(_ daemon: RunningDaemon, bytes: Int = 6_000_000) async throws {
        let title = String(repeating: "x", count: bytes)
        try await daemon.save(#"{"insert":"Department","values":{"title":"\#(title)"}}"#)
    }

    /// The beginning of the names of a daemon's backups, whose socket is none of a service.
    private func prefix(_ daemon: RunningDaemon) -> String {
        let path = URL(fileURLWithPath: daemon.socket).standardizedFileURL.path
        return "tributary-\(SHA256.hash(data: Data(path.utf8)).hexadecimal.prefix(8))-"
    }

    private func leftovers(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter {
            $0.contains("scratch") || $0.contains(".part-")
        }
    }

    @Test(.timeLimit(.minutes(30))) func aBackupIsAStoreInOneFile() async throws {
        let daemon = try await RunningDaemon.started()
        try await fill(daemon)
        let file = daemon.folder.path("copy.sqlite")
        try await daemon.success(of: ["backup", file])
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try PlainSQL(path: file).value("PRAGMA integrity_check") == "ok")
        #expect(try PlainSQL(path: file).value("PRAGMA journal_mode") == "delete")
        #expect(try PlainSQL(path: file).value("SELECT count(*) FROM Department") == "1")
        #expect(try PlainSQL(path: file).value("PRAGMA application_id") == "\(0x5452_4942)")
        #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
        let again = try await daemon.command(["backup", file])
        #expect(again.ending == .exited(74) && again.errors.contains("File exists"), "\(again)")
        let json = try await daemon.command(["--json", "backup", daemon.folder.path("second.sqlite")])
        #expect(json.output.contains("\"missingValues\":0"), "\(json)")

        let plain = try await daemon.client.send(AdminCall(.post, .backup))
        #expect(plain.headers["content-type"] == "application/vnd.sqlite3")
        let digest = Data(SHA256.hash(data: plain.body).bytes).base64EncodedString()
        #expect(plain.headers["repr-digest"] == "sha-256=:\(digest):")
        #expect(try leftovers(daemon.folder).isEmpty)
    }

    /// With --keep only the oldest of the command's own files go, whatever else lies in the folder.
    @Test(.timeLimit(.minutes(30))) func keptBackupsAreTheNewestOfTheSeries() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: folder)) }
        func backUp(_ arguments: String...) async throws -> [String: Any] {
            let answer = try await daemon.command(["--json", "backup", "--keep", "2", folder] + arguments)
            #expect(answer.ending == .exited(0), "\(answer)")
            let report = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
            return try #require(report as? [String: Any])
        }
        let first = try #require(try await backUp()["file"] as? String)
        #expect(try PlainSQL(path: first).value("PRAGMA integrity_check") == "ok")
        let prefix = prefix(daemon)
        #expect((first as NSString).lastPathComponent.hasPrefix(prefix))
        // Names that are nearly those of the series, and one that is of the series but no store.
        let strangers = [
            "tributary-shop-20260101T000000.000Z.sqlite", "tributary-20260101T000000.000Z.sqlite",
            "\(prefix)20260101T000000Z.sqlite", "\(prefix)20260101T000000.000Z.sqlite.old",
            "my-\(prefix)20260101T000000.000Z.sqlite",
        ]
        for name in strangers { try FileManager.default.copyItem(atPath: first, toPath: folder + "/" + name) }
        let text = "\(prefix)20250101T000000.000Z.sqlite"
        try Data("no store".utf8).write(to: URL(fileURLWithPath: folder + "/" + text))
        let link = "\(prefix)20240101T000000.000Z.sqlite"
        try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: first)
        let others = Set(strangers + [text, link])

        let second = try #require(try await backUp()["file"] as? String)
        let third = try await backUp()
        #expect(third["removed"] as? [String] == [first])
        let kept = [second, try #require(third["file"] as? String)].map { ($0 as NSString).lastPathComponent }
        #expect(kept == kept.sorted())
        #expect(try names() == others.union(kept))

        let plain = try await daemon.command(["backup", "--keep", "1", folder])
        #expect(plain.ending == .exited(0), "\(plain)")
        #expect(plain.output.split(separator: "\n").filter { $0.hasPrefix("removed ") }.count == 2, "\(plain)")
        #expect(try names().subtracting(others).count == 1)
        #expect(try names().isSuperset(of: others))
    }

    /// The stores have no instances, and one folder for their backups.
    @Test(.timeLimit(.minutes(30))) func eachStoreKeepsItsOwnBackups() async throws {
        let daemons = [try await RunningDaemon.started(), try await RunningDaemon.started()]
        let folder = daemons[0].folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for daemon in daemons {
            for _ in 0..<3 { try await daemon.success(of: ["backup", "--keep", "2", folder]) }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        for daemon in daemons { #expect(names.filter { $0.hasPrefix(prefix(daemon)) }.count == 2, "\(names)") }
    }

    /// A clock was ahead while backups were made: with the right time, later backups have lesser names.
    @Test(.timeLimit(.minutes(30))) func backupsOfTheFutureGoFirst() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ahead = "\(folder)/\(prefix(daemon))99990101T000000.00"
        for number in 1...3 { try await daemon.success(of: ["backup", "\(ahead)\(number)Z.sqlite"]) }
        for _ in 0..<4 { try await daemon.success(of: ["backup", "--keep", "3", folder]) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 3 && !names.contains { $0.contains("9999") }, "\(names)")
    }

    /// A folder such as NFS has no files without a name, and no rename that does not replace.
    @Test(.timeLimit(.minutes(30))) func anyFileSystemTakesABackup() async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try await RunningDaemon.started()
        let library = try await PreloadedLibrary("plain_files", in: daemon.folder)
        let file = daemon.folder.path("copy.sqlite")
        for ending in [0, 74] as [Int32] {
            let backup = try await daemon.command(["backup", file], environment: ["LD_PRELOAD": library.path])
            #expect(backup.ending == .exited(ending), "\(backup)")
        }
        #expect(try PlainSQL(path: file).value("PRAGMA integrity_check") == "ok")
        #expect(try leftovers(daemon.folder).isEmpty)
    }

    /// A folder can be named so that a terminal obeys it.
    @Test(.timeLimit(.minutes(30))) func whatFailsIsToldWithoutControlCharacters() async throws {
        let daemon = try await RunningDaemon.started()
        let missing = try await daemon.command(["backup", "--keep", "2", daemon.folder.path("no\u{1B}[31mfolder")])
        #expect(missing.errors.contains("no\\u{1B}[31mfolder'"), "\(missing)")
        for name in ["../x", "a/b", "", "a b\u{1B}"] {
            let answer = try await daemon.command(["--instance", name, "status"])
            #expect(answer.ending == .exited(64), "\(name): \(answer)")
        }
    }

    /// What a killed command leaves on a file system without nameless files goes after a day, unless somebody writes it.
    @Test(.timeLimit(.minutes(30))) func whatWasCutShortIsRemovedAfterADay() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func put(_ name: String, hours: Double) throws -> String {
            let path = folder + "/" + name
            try Data("part".utf8).write(to: URL(fileURLWithPath: path))
            let date = Date(timeIntervalSinceNow: -hours * 3_600)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            return path
        }
        let prefix = prefix(daemon)
        let old = try put("\(prefix)20260101T000000.000Z.sqlite.part-17", hours: 25)
        let stay = [
            try put("\(prefix)20260101T000000.000Z.sqlite.part-18", hours: 23),
            try put("\(prefix)20260102T000000.000Z.sqlite.part-19", hours: 48),
            try put("\(prefix)20260101T000000.000Z.sqlite.part-1a", hours: 48),
            try put("tributary-shop-20260101T000000.000Z.sqlite.part-17", hours: 48),
            try put("notes.sqlite.part-17", hours: 48),
        ]
        // A command that has been writing for long without a byte holds the lock of its file.
        let written = open(stay[1], O_RDONLY | O_CLOEXEC)
        try #require(written >= 0 && flock(written, LOCK_EX) == 0)
        defer { close(written) }
        let answer = try await daemon.success(of: ["--json", "backup", "--keep", "2", folder])
        let report = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
        #expect(report?["removed"] as? [String] == [old])
        #expect(stay.allSatisfy(FileManager.default.fileExists) && !FileManager.default.fileExists(atPath: old))
    }

    @Test(.timeLimit(.minutes(30))) func keepTakesAFolderAndANumber() async throws {
        let daemon = try await RunningDaemon.started()
        let file = daemon.folder.path("copy.sqlite")
        try await daemon.success(of: ["backup", file])
        let noFolder = try await daemon.command(["backup", "--keep", "2", file])
        #expect(noFolder.ending == .exited(64) && noFolder.errors.contains("no folder"), "\(noFolder)")
        let none = try await daemon.command(["backup", "--keep", "0", daemon.folder.path("")])
        #expect(none.ending == .exited(64), "\(none)")
        let missing = try await daemon.command(["backup", "--keep", "2", daemon.folder.path("nowhere")])
        #expect(missing.ending == .exited(74) && missing.errors.contains("No such file"), "\(missing)")
    }

    @Test(.timeLimit(.minutes(30))) func aClientThatHangsUpFreesTheNextOne() async throws {
        let daemon = try await RunningDaemon.started()
        try await fill(daemon)
        let file = daemon.folder.path("copy.sqlite")
        let first: RawConnection
        let refused: Answer
        var tries = 5
        while true {
            let connection = try RawConnection(daemon.socket)
            connection.send("POST /v1/backup HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n")
            #expect(connection.read().hasPrefix("HTTP/1.1 200"))
            let other = try await daemon.command(["backup", file])
            tries -= 1
            guard other.ending == .exited(0), tries > 0 else {
                (first, refused) = (connection, other)
                break
            }
            // A client that reads nothing for a minute is dropped, and the command may take that long on a busy machine.
            try FileManager.default.removeItem(atPath: file)
        }
        try #require(refused.ending == .exited(75) && refused.errors.contains("is making a backup since"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: file))
        first.close()
        while try await daemon.command(["backup", file]).ending != .exited(0) {}
        #expect(try PlainSQL(path: file).value("PRAGMA integrity_check") == "ok")
        #expect(try leftovers(daemon.folder).isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func aKilledDaemonLeavesNothing() async throws {
        let daemon = try RunningDaemon()
        // The rest of a daemon that was killed while it copied.
        let scratch = daemon.store + ".scratch-backup"
        try FileManager.default.createDirectory(atPath: scratch + "/deep", withIntermediateDirectories: true)
        try await daemon.start()
        #expect(!FileManager.default.fileExists(atPath: scratch))
        try await fill(daemon)
        let file = daemon.folder.path("copy.sqlite")
        var count = 0
        await #expect(throws: (any Error).self) {
            _ = try await daemon.client.events(AdminCall(.post, .backup)) { event in
                if event.event == "part" {
                    count += 1
                    daemon.kill()
                }
                return true
            }
        }
        #expect(count > 0)
        #expect(await daemon.process?.ending() == .signalled(SIGKILL))
        #expect(try await daemon.command(["backup", file]).ending == .exited(69))
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try leftovers(daemon.folder).isEmpty)
    }

    @Test(.timeLimit(.minutes(30))) func fullDisksLeaveNothing() async throws {
        if let reason = RunningDaemon.reasonNotToMount { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        try await daemon.start(withStoreOf: 900 << 10)
        try await fill(daemon, bytes: 200_000)
        let file = daemon.folder.path("copy.sqlite")
        let full = try await daemon.command(["backup", file])
        #expect(full.ending == .exited(75), "\(full)")
        #expect(full.errors.contains("full") || full.errors.contains("No space"), "\(full.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
        try await daemon.resizeStore(to: 16 << 20)
        // The disk of the client: the system ends the command at the limit.
        let limited = try ChildProcess(
            "/bin/sh",
            ["-c", "ulimit -f 64; exec \"$0\" backup \"$1\"", BuildFolder.executable("tributaryctl"), file],
            environment: ["TRIBUTARY_SOCKET": daemon.socket]
        )
        #expect(await limited.ending() != .exited(0))
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try leftovers(daemon.folder).isEmpty)
        while try await daemon.command(["backup", file]).ending == .exited(75) {}
        #expect(try PlainSQL(path: file).value("SELECT count(*) FROM Department") == "1")
    }
}

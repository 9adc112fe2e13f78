import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// A backup is one file with the whole store, or nothing.
@Suite(.daemonTurns) struct BackupTests {
    /// Inserts a department with a long title, so that a backup does not fit into the buffers of a socket.
    private func fill(_ daemon: RunningDaemon, bytes: Int = 6_000_000) async throws {
        let title = String(repeating: "x", count: bytes)
        try await daemon.save(#"{"insert":"Department","values":{"title":"\#(title)"}}"#)
    }

    /// The end of the names of a daemon's backups: the end of its store's label.
    private func ending(_ daemon: RunningDaemon) throws -> String {
        let label = try PlainSQL(path: daemon.store).value(
            "SELECT value FROM tributary_setting WHERE key = 'identity.label'"
        )
        return "-\(try #require(label).suffix(12)).sqlite"
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
        try await daemon.expect(74, of: ["backup", file], errors: "File exists")
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
            let answer = try await daemon.success(of: ["--json", "backup", "--keep", "2", folder] + arguments)
            let report = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
            return try #require(report as? [String: Any])
        }
        let first = try #require(try await backUp()["file"] as? String)
        #expect(try PlainSQL(path: first).value("PRAGMA integrity_check") == "ok")
        let ending = try ending(daemon)
        let firstName = (first as NSString).lastPathComponent
        #expect(firstName.hasPrefix("tributary-0000000001-2") && firstName.hasSuffix(ending), "\(first)")
        // Names that are nearly those of the series, and one that is of the series but no store.
        let strangers = [
            "tributary-shop-0000000000-20260101T000000.000Z\(ending)", "tributary-20260101T000000.000Z\(ending)",
            "tributary-0000000000-20260101T000000Z\(ending)", "tributary-0000000000-20260101T000000.000Z\(ending).old",
            "my-tributary-0000000000-20260101T000000.000Z\(ending)",
            "tributary-0000000000-20260101T000000.000Z-0123456789ab.sqlite",
        ]
        for name in strangers { try FileManager.default.copyItem(atPath: first, toPath: folder + "/" + name) }
        let text = "tributary-0000000000-20250101T000000.000Z\(ending)"
        try Data("no store".utf8).write(to: URL(fileURLWithPath: folder + "/" + text))
        let link = "tributary-0000000000-20240101T000000.000Z\(ending)"
        try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: first)
        let others = Set(strangers + [text, link])

        let second = try #require(try await backUp()["file"] as? String)
        let third = try await backUp()
        #expect(third["removed"] as? [String] == [first])
        let kept = [second, try #require(third["file"] as? String)].map { ($0 as NSString).lastPathComponent }
        #expect(kept == kept.sorted())
        #expect(try names() == others.union(kept))

        let plain = try await daemon.success(of: ["backup", "--keep", "1", folder])
        #expect(plain.output.split(separator: "\n").filter { $0.hasPrefix("removed ") }.count == 2, "\(plain)")
        #expect(try names().subtracting(others).count == 1)
        #expect(try names().isSuperset(of: others))
    }

    /// The name of an earlier version does not tell whose backup it is: it stays, and the command says so.
    @Test(.timeLimit(.minutes(30))) func backupsOfAnEarlierVersionStayAndAreNamed() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let earlier = "\(folder)/tributary-20260101T000000.000Z.sqlite"
        try await daemon.success(of: ["backup", earlier])
        try Data("no store".utf8).write(to: URL(fileURLWithPath: "\(folder)/tributary-20250101T000000.000Z.sqlite"))
        for _ in 0..<3 {
            let answer = try await daemon.success(of: ["backup", "--keep", "1", folder])
            #expect(answer.errors.contains("there is 1 backup with a name of an earlier version"), "\(answer)")
            #expect(answer.errors.hasSuffix("rm \(earlier)\n"), "\(answer)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
        try FileManager.default.removeItem(atPath: earlier)
        #expect(try await daemon.success(of: ["backup", "--keep", "1", folder]).errors.isEmpty)
    }

    /// The stores have no instances, and one folder for their backups, such as the default stores of two machines.
    @Test(.timeLimit(.minutes(30))) func eachStoreKeepsItsOwnBackups() async throws {
        let daemons = [try await RunningDaemon.started(), try await RunningDaemon.started()]
        let folder = daemons[0].folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for daemon in daemons {
            for _ in 0..<3 { try await daemon.success(of: ["backup", "--keep", "2", folder]) }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        for daemon in daemons {
            let ending = try ending(daemon)
            #expect(names.count { $0.hasSuffix(ending) } == 2, "\(names)")
        }
    }

    /// The clock was ahead, then behind: the backups that were made last stay, whatever times their names have.
    @Test(.timeLimit(.minutes(30))) func aWrongClockChangesNoOrder() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ending = try ending(daemon)
        for (number, year) in [(1, "2026"), (2, "9999"), (3, "9999"), (4, "1970")] {
            let name = "tributary-000000000\(number)-\(year)0101T000000.000Z\(ending)"
            try await daemon.success(of: ["backup", "\(folder)/\(name)"])
        }
        func numbers() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).map { String($0.dropFirst(10).prefix(10)) }
                .sorted()
        }
        for last in 5...8 {
            try await daemon.success(of: ["backup", "--keep", "3", folder])
            #expect(try numbers() == (last - 2...last).map { "000000000\($0)" })
        }
    }

    /// The greatest number is in the folder: further backups still belong to the series, and old ones go.
    @Test(.timeLimit(.minutes(30))) func theGreatestNumberIsNotPassed() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ending = try ending(daemon)
        let first = "tributary-9999999999-20260101T000000.000Z\(ending)"
        try await daemon.success(of: ["backup", "\(folder)/\(first)"])
        for _ in 0..<3 { try await daemon.success(of: ["backup", "--keep", "2", folder]) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 2 && !names.contains(first), "\(names)")
        #expect(names.allSatisfy { $0.hasPrefix("tributary-9999999999-") && $0.hasSuffix(ending) }, "\(names)")
    }

    /// A restored store goes on with its series, and a backup that was copied into the store's place can be backed up.
    @Test(.timeLimit(.minutes(30))) func aStoreFromABackupContinuesTheSeries() async throws {
        let daemon = try await RunningDaemon.started()
        let folder = daemon.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func backUp() async throws -> String {
            try await daemon.success(of: ["backup", "--keep", "2", folder])
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            return folder + "/" + (try #require(names.last))
        }
        var newest = try await backUp()
        for isCopied in [false, true] {
            #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
            if isCopied {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: daemon.store + suffix)
                }
                try FileManager.default.copyItem(atPath: newest, toPath: daemon.store)
            } else {
                try await daemon.success(of: ["restore", newest, "--store", daemon.store, "--move-aside"])
            }
            try await daemon.start()
            try await daemon.success(of: ["sync"])
            let next = try await backUp()
            let ending = try ending(daemon)
            #expect(next > newest && next.hasSuffix(ending), "\(next)")
            #expect(try PlainSQL(path: next).value("PRAGMA integrity_check") == "ok")
            newest = next
        }
    }

    /// A folder such as NFS has no files without a name, and no rename that does not replace; some have no hard links.
    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func anyFileSystemTakesWhatTheCommandsWrite(withoutLinks: Bool) async throws {
        if let reason = PreloadedLibrary.reasonNotToPreload { try Test.cancel("\(reason)") }
        let daemon = try RunningDaemon()
        let library = try await PreloadedLibrary("plain_files", in: daemon.folder)
        let environment = ["LD_PRELOAD": library.path].merging(withoutLinks ? ["PLAIN_FILES_LINKS": "none"] : [:]) {
            $1
        }
        // The first key and the first segment.
        try await daemon.start(through: "/usr/bin/env", environment.map { "\($0)=\($1)" })
        try await daemon.save(#"{"insert":"Department","values":{"title":"one"}}"#)
        try await daemon.success(of: ["sync"])
        #expect(FileManager.default.fileExists(atPath: daemon.store + "-key"), "\(daemon.log)")
        #expect(try daemon.exportedText().contains("Department"), "\(daemon.log)")
        let (file, page) = (daemon.folder.path("copy.sqlite"), daemon.folder.path("page.html"))
        for command in [["backup", file], ["page", "--output", page]] {
            for ending in [0, 74] as [Int32] {
                try await daemon.expect(ending, of: command, environment: environment)
            }
        }
        #expect(try PlainSQL(path: file).value("PRAGMA integrity_check") == "ok")
        let series = daemon.folder.path("series")
        try FileManager.default.createDirectory(atPath: series, withIntermediateDirectories: true)
        for _ in 0..<3 {
            try await daemon.success(of: ["backup", "--keep", "2", series], environment: environment)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: series).count == 2)
        // A producer's segment is signed where it lies.
        let writer = RunningDaemon.foreignWriter().id
        let text = SegmentText(
            writer: try #require(UniqueID(writer)),
            last: 1,
            [#"{"transaction":1,"clock":"0000000000000001","changes":0}"#]
        )
        try daemon.folder.write(String(decoding: text.bytes(), as: UTF8.self), to: "signed/\(text.name.path)")
        try daemon.folder.write(String(decoding: SigningKey.generate().pem, as: UTF8.self), to: "gate.key")
        #expect(chmod(daemon.folder.path("gate.key"), 0o600) == 0)
        let signed = daemon.folder.path("signed/\(text.name.path)")
        try await daemon.success(
            of: ["segment", "sign", "--key", daemon.folder.path("gate.key"), signed],
            environment: environment
        )
        #expect(try String(contentsOfFile: signed, encoding: .utf8).contains("signature"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: signed.folder) == [text.name.fileName])
        // A store is put into place.
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try await daemon.success(
            of: ["restore", file, "--store", daemon.store, "--move-aside"],
            environment: environment
        )
        #expect(try leftovers(daemon.folder).isEmpty)
    }

    /// A folder can be named so that a terminal obeys it.
    @Test(.timeLimit(.minutes(30))) func whatFailsIsToldWithoutControlCharacters() async throws {
        let daemon = try await RunningDaemon.started()
        let missing = try await daemon.command(["backup", "--keep", "2", daemon.folder.path("no\u{1B}[31mfolder")])
        #expect(missing.errors.contains("no\\u{1B}[31mfolder'"), "\(missing)")
        for name in ["../x", "a/b", "", "a b\u{1B}"] {
            try await daemon.expect(64, of: ["--instance", name, "status"])
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
        let old = try put("tributary-0000000001-20260101T000000.000Z.part-17", hours: 25)
        let stay = [
            try put("tributary-0000000001-20260101T000000.000Z.part-18", hours: 23),
            try put("tributary-0000000001-20260102T000000.000Z.part-19", hours: 48),
            try put("tributary-0000000001-20260101T000000.000Z.part-1a", hours: 48),
            try put("tributary-shop-0000000001-20260101T000000.000Z.part-17", hours: 48),
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
        try await daemon.expect(64, of: ["backup", "--keep", "2", file], errors: "not a folder")
        try await daemon.expect(64, of: ["backup", "--keep", "0", daemon.folder.path("")])
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
        let full = try await daemon.expect(75, of: ["backup", file])
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

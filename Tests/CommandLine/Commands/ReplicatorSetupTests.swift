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
}

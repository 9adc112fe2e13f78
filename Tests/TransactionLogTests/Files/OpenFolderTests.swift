import Foundation
import Glibc
import TestSupport
import Testing
import TributaryChanges

@testable import TransactionLog

/// A folder that others may write is opened once, and nothing in it leads out of it.
@Suite struct OpenFolderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("open") }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path(name), encoding: .utf8)
    }

    /// What has another name, or is no file, is neither read nor written through.
    @Test func onlyAPlainFileIsRead() throws {
        try folder.write("secret", to: "elsewhere/secret")
        try folder.write("text", to: "logs/plain")
        let logs = try OpenFolder(folder.path("logs"))
        #expect(symlink(folder.path("elsewhere/secret"), folder.path("logs/link")) == 0)
        #expect(link(folder.path("elsewhere/secret"), folder.path("logs/second")) == 0)
        #expect(mkfifo(folder.path("logs/pipe"), 0o600) == 0)
        #expect(try logs.contents(of: "plain", limit: 4) == Array("text".utf8))
        #expect(try logs.contents(of: "none", limit: 4) == nil)
        for name in ["link", "second", "pipe"] {
            let failure = #expect(throws: FileFailure.self) { try logs.contents(of: name, limit: 100) }
            #expect(failure == FileFailure(folder.path("logs/\(name)"), ELOOP))
        }
        #expect(throws: FileFailure(folder.path("logs/plain"), EFBIG)) { try logs.contents(of: "plain", limit: 3) }
        for name in ["link", "second", "plain"] {
            let file = try NewFile(name, in: logs, mode: 0o600)
            try file.write(Array("new".utf8))
            try file.replace()
            #expect(try text("logs/\(name)") == "new")
        }
        #expect(try text("elsewhere/secret") == "secret")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("logs")).count == 4)
    }

    /// The path leads elsewhere after the folder was opened.
    @Test func whatFollowsHappensInTheFolderThatWasOpened() throws {
        try folder.write("a", to: "logs/a")
        try folder.write("a", to: "other/a")
        let logs = try OpenFolder(folder.path("logs"))
        #expect(rename(folder.path("logs"), folder.path("moved")) == 0)
        #expect(symlink(folder.path("other"), folder.path("logs")) == 0)
        let file = try NewFile("b", in: logs, mode: 0o600)
        try file.finish()
        try logs.rename("a", to: "c")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("moved")).sorted() == ["b", "c"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("other")) == ["a"])
    }

    /// Root follows the links of root only: another user could point a link to any folder at any time.
    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"))
    func rootFollowsNoLinkOfAnotherUser() throws {
        try folder.write("a", to: "real/logs/a")
        let links = ["own", "foreign", "relative", "end"].map(folder.path)
        #expect(symlink(folder.path("real"), links[0]) == 0 && symlink(folder.path("real"), links[1]) == 0)
        #expect(symlink("foreign/../real", links[2]) == 0 && symlink("real/logs", links[3]) == 0)
        #expect(lchown(links[1], 12_345, 12_345) == 0)
        for path in ["real/logs", "own/logs", "own/logs/", "end", "real/../own//logs/."] {
            #expect(try OpenFolder(folder.path(path)).contains("a"), "\(path)")
        }
        for path in ["foreign/logs", "foreign", "relative/logs"] {
            let failure = #expect(throws: FileFailure.self) { _ = try OpenFolder(folder.path(path)) }
            #expect(failure?.code == ENOLINK && failure?.reason.contains("another user") == true, "\(path)")
        }
        #expect(throws: FileFailure.self) { _ = try OpenFolder.holding(linkedFrom: folder.path("foreign")) }
        #expect(try OpenFolder.holding(linkedFrom: folder.path("end")).path == folder.path("real/logs"))
        #expect(throws: FileFailure(folder.path("none"), ENOENT)) { _ = try OpenFolder(folder.path("none")) }
        #expect(throws: FileFailure(folder.path("real/logs/a"), ENOTDIR)) {
            _ = try OpenFolder(folder.path("real/logs/a"))
        }
        #expect(symlink("circle", folder.path("circle")) == 0)
        #expect(throws: FileFailure(folder.path("circle"), ELOOP)) { _ = try OpenFolder(folder.path("circle")) }
    }

    /// No attempt leaves anything, and only one that is complete has the name.
    @Test func anUnfinishedFileLeavesNothing() throws {
        let target = try OpenFolder(folder.path)
        for _ in 0..<2 {
            let file = try NewFile(folder.path("file"), mode: 0o600)
            try file.write(Array("text".utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let files = try (0..<2).map { _ in try NewFile("file", in: target, mode: 0o640) }
        try files[0].finish()
        #expect(throws: FileFailure(folder.path("file"), EEXIST)) { try files[1].finish() }
        #expect(throws: FileFailure(folder.path("file"), EEXIST)) { _ = try NewFile(folder.path("file"), mode: 0o600) }
        struct Changed: Error {}
        #expect(throws: Changed.self) { try NewFile("file", in: target, mode: 0o600).replace { throw Changed() } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }
}

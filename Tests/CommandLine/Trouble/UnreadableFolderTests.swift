import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

@Suite("A folder that may not be read for a while", .daemonTurns)
struct UnreadableFolderTests {
    /// The daemon runs without the capability that lets root read all files.
    @Test("is read within seconds once it may be, and so is a file, without anybody asking", .timeLimit(.minutes(30)))
    func unreadable() async throws {
        let daemon = try RunningDaemon()
        var (first, second) = (RunningDaemon.foreignWriter(1), RunningDaemon.foreignWriter(2))
        let path = try first.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        let file = try second.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        let folder = (path as NSString).deletingLastPathComponent
        #expect(chmod(folder, 0) == 0 && chmod(file, 0) == 0)
        try await daemon.startWithoutReadingEverything()
        let problems = try await daemon.problems()
        #expect(problems.contains("logs-unreadable"), "\(problems)")

        var hired = 0
        _ = try await daemon.client.events(AdminCall(.get, .changes)) { event in
            if event.event == "hello" {
                #expect(chmod(folder, 0o770) == 0 && chmod(file, 0o660) == 0)
            } else if event.event == "storeDidUpdate" {
                hired = try PlainSQL(path: daemon.store).rows("SELECT name FROM Employee").count
            }
            return hired < 2
        }
        #expect(hired == 2, "\(daemon.log)")
        #expect(try await daemon.problems() == [])
    }
}

@Suite("A file that may not be read, under the next name of a store", .daemonTurns)
struct UnreadableNameTests {
    /// The daemon runs without the capability that lets root read all files.
    @Test("is no content: the export waits for it, under the same writer")
    func unreadable() async throws {
        let daemon = try RunningDaemon()
        try await daemon.startWithoutReadingEverything()
        let writer = try await daemon.writer()
        let name = "logs/\(writer)/0000000000000001-0000000000000001.tlog"
        try daemon.folder.write("x", to: name)
        #expect(chmod(daemon.folder.path(name), 0) == 0)
        _ = try await daemon.command(["object", "insert", "Employee", "name=Ann"])
        let waiting = try await daemon.command(["sync"])
        #expect(waiting.ending != .exited(0), "\(waiting)")
        #expect(try await daemon.problems().contains("export-failed"), "\(daemon.log)")
        let status = try await daemon.command(["status"])
        #expect(status.output.contains(daemon.folder.path(name)), "\(status)")
        try FileManager.default.removeItem(atPath: daemon.folder.path(name))
        try await daemon.success(of: ["sync"])
        #expect(try await daemon.writer() == writer)
        #expect(try await daemon.problems() == [], "\(daemon.log)")
        #expect(FileManager.default.fileExists(atPath: daemon.folder.path(name)))
    }
}

@Suite("A segment that may not be read", .daemonTurns)
struct UnreadableSegmentTests {
    /// The daemon runs without the capability that lets root read all files.
    @Test("is listed with its reason, others go on, and it is imported once it may be read")
    func unreadable() async throws {
        let daemon = try RunningDaemon()
        var (locked, open) = (RunningDaemon.foreignWriter(1), RunningDaemon.foreignWriter(2))
        let path = try locked.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try open.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        #expect(chmod(path, 0) == 0)
        try await daemon.startWithoutReadingEverything()
        let first = try await daemon.call(.post, "/v1/sync")
        #expect(first.0 == 200, "\(first.1)")
        let (_, listing) = try await daemon.call(.get, "/v1/segments")
        let segments = try #require(listing["segments"] as? [[String: Any]])
        #expect(segments.count == 1 && segments.first?["writer"] as? String == locked.id, "\(listing)")
        #expect((segments.first?["reason"] as? String)?.lowercased().contains("permission") == true, "\(listing)")
        #expect(try PlainSQL(path: daemon.store).rows("SELECT name FROM Employee") == [["N2"]])

        #expect(chmod(path, 0o660) == 0)
        _ = try await daemon.call(.post, "/v1/sync")
        let names = try PlainSQL(path: daemon.store).rows("SELECT name FROM Employee ORDER BY name")
        #expect(names == [["N1"], ["N2"]], "\(daemon.log)")
    }
}

import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Daemons whose log folder has the bytes that `logs.max_bytes` allows.
@Suite(.daemonTurns) struct FullFolderTests {
    private static let limit = "logs.max_bytes: 64KiB"

    private func segments(_ daemon: RunningDaemon) -> Set<String> {
        let files = FileManager.default.enumerator(atPath: daemon.logs)?.compactMap { $0 as? String } ?? []
        return Set(files.filter { $0.hasSuffix(".tlog") && !$0.hasPrefix(".") })
    }

    private func insertion(_ title: String) -> String { #"{"insert":"Department","values":{"title":"\#(title)"}}"# }

    private func until(_ what: String, _ daemon: RunningDaemon, _ holds: () async throws -> Bool) async throws {
        let end = Date(timeIntervalSinceNow: 120)
        while try await !holds() {
            if Date() > end {
                Issue.record("never: \(what)\n\(daemon.log)")
                throw CancellationError()
            }
        }
    }

    @Test(.timeLimit(.minutes(30))) func newSegmentsWaitAndNothingElseDoes() async throws {
        let one = try RunningDaemon("one")
        let two = try RunningDaemon("two", in: one.folder)
        for daemon in [one, two] {
            try daemon.configure(Self.limit)
            try await daemon.start()
        }
        try await one.save(insertion(String(repeating: "x", count: 100_000)))
        try await until("the large value goes out", one) { segments(one).count == 1 }
        for daemon in [one, two] {
            let synchronized = try await daemon.success(of: ["sync"])
            #expect(!synchronized.output.contains("max_bytes"), "\(synchronized)")
        }
        let status = try await two.success(of: ["status"]).output
        #expect(
            status.hasPrefix("well, with 1 notice") && status.contains("allows; new saves wait"),
            "\(status)"
        )
        #expect(status.contains("Most is of one (\(try await one.writer()))"), "\(status)")

        // Saves are taken, and go out when there is room.
        for number in 1...3 {
            try await one.save(insertion("one \(number)"))
            try await two.save(insertion("two \(number)"))
        }
        for daemon in [one, two] {
            let full = try await daemon.expect(75, of: ["sync"])
            #expect(full.output.contains("3 transactions of this store wait"), "\(full)")
            #expect(try await daemon.problems() == ["folder-full"])
        }
        #expect(segments(one).count == 1)
        #expect(try await one.success(of: ["status"]).output.contains("since: "))

        // One who keeps to no limit is read all the same.
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: one.logs)
        for daemon in [one, two] {
            _ = try await daemon.command(["sync"])
            #expect(try await daemon.count("Employee") == 1)
        }
        #expect(segments(one).count == 2)

        // It holds beyond a restart.
        #expect(await one.stop() == .exited(0), "\(one.log)")
        #expect(segments(one).count == 2)
        try await one.start()
        try await until("the problem is there again", one) { try await one.problems() == ["folder-full"] }
        #expect(try await one.count("Department") == 4)

        // More room: what has waited goes out, in order and once.
        for daemon in [one, two] {
            try daemon.reconfigure(Self.limit, to: "logs: {path: \(daemon.logs), max_bytes: 16MiB}")
            try daemon.reconfigure("logs: \(daemon.logs)\n", to: "")
            let reload = try await daemon.success(of: ["reload"])
            #expect(reload.output.contains("logs.max_bytes"), "\(reload)")
            try await until("there is room", daemon) { try await daemon.problems() == [] }
        }
        for daemon in [one, two] { try await daemon.success(of: ["sync"]) }
        #expect(try await one.digest() == two.digest())
        for daemon in [one, two] {
            #expect(try await daemon.count("Department") == 7)
            try await daemon.success(of: ["check"])
        }
        for line in ["the log folder is full", "the transactions that waited for room in the log folder are published"]
        {
            #expect(one.journal.contains(line))
        }
    }

    @Test(.timeLimit(.minutes(30))) func compactionMakesRoom() async throws {
        let peers = try CompactionPeers()
        for name in ["one", "two", "three"] {
            let daemon = try await peers.add(name)
            // Nothing may go yet: a full folder begins a compaction by itself.
            try daemon.reconfigure("keep_segments: 1ms}", to: "keep_segments: 1h}\nlogs.max_bytes: 128KiB")
            try await daemon.success(of: ["reload"])
        }
        let (one, daemons) = (peers.daemons[0], peers.daemons)
        let id = "0190f1a2-0000-7000-8000-000000000001"
        try await one.save(#"{"insert":"Department","id":"\#(id)","values":{"title":"t"}}"#)
        for number in 1...3 {
            let title = String(repeating: "\(number)", count: 60_000)
            try await one.save(#"{"update":"Department","id":"\#(id)","values":{"title":"\#(title)"}}"#)
            // Each in a segment of its own.
            try await one.success(of: ["sync"])
        }
        try await one.save(insertion("waits"))
        try await until("it is full", one) { try await one.problems() == ["folder-full"] }

        for daemon in daemons {
            try daemon.reconfigure("keep_segments: 1h", to: "keep_segments: 1ms")
            try await daemon.success(of: ["reload"])
        }
        // A baseline takes up a third of what it replaces: then new segments have room, under the same limit.
        try await peers.until("the folder has room", daemons) {
            for daemon in daemons {
                _ = try await daemon.call(.post, "/v1/sync")
                _ = try await peers.compact(daemon)
            }
            try await one.save(insertion("more"))
            return try await one.command(["sync"]).ending == .exited(0)
        }
        try await peers.synchronize(daemons)
        #expect(try await one.problems() == [])
        await peers.stop()
    }
}

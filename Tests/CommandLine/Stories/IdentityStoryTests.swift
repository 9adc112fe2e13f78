import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Stores are copied, restored or left alone, from the first look at the status to equal digests.
@Suite(.timeLimit(.minutes(30)), .daemonTurns) struct IdentityStoryTests {
    private static let employee = "0190f1a2-0000-7000-8000-0000000000e1"
    private static let model = EmployeeModel.text(adding: "visits: {type: Integer 64, default: 0, merge: counter}")

    private func exchange(_ daemons: [RunningDaemon]) async throws {
        for daemon in daemons + daemons { #expect(try await daemon.call(.post, "/v1/sync").0 == 200) }
    }

    /// Runs the command that the hint of a problem ends with.
    private func followHint(_ code: String, _ daemon: RunningDaemon) async throws -> String {
        let problems = try await daemon.call(.get, "/v1/status").1["problems"] as? [[String: Any]]
        let problem = try #require(problems?.first { $0["code"] as? String == code })
        let hint = try #require(problem["hint"] as? String)
        let command = try #require(hint.components(separatedBy: "tributaryctl ").last)
        let result = try await daemon.success(of: command.split(separator: " ").map(String.init))
        return result.output
    }

    /// A store is prepared once, copied to two places before it has exported anything, and removed.
    @Test func copiesOfAPreparedStoreAreTwoWriters() async throws {
        let original = try RunningDaemon()
        try original.reconfigure("export: {debounce: 10ms}", to: "export: {enabled: false}")
        try await original.start()
        try await original.save(RunningDaemon.insertion(1))
        let former = try await original.writer()
        #expect(await original.stop() == .exited(0), "\(original.log)")
        let clones = [try RunningDaemon("two", in: original.folder), try RunningDaemon("three", in: original.folder)]
        for clone in clones { try FileManager.default.copyItem(atPath: original.store, toPath: clone.store) }
        try FileManager.default.removeItem(atPath: original.store)

        for clone in clones { try await clone.start() }
        for (number, clone) in zip(UInt8(2)..., clones) { try await clone.save(RunningDaemon.insertion(number)) }
        try await exchange(clones)
        var writers: Set<String> = []
        var digests: Set<String> = []
        for clone in clones {
            writers.insert(try await clone.writer())
            digests.insert(try await clone.digest())
            #expect(try await clone.count("Employee") == 3)
            #expect(try await clone.problems().isEmpty)
        }
        #expect(writers.count == 2 && !writers.contains(former) && digests.count == 1)
    }

    /// The save is in the outbox of the backup, and exported after it: the restored store must not count it again.
    @Test func aRestoredStoreCountsOnce() async throws {
        let daemon = try RunningDaemon()
        try daemon.folder.write(IdentityStoryTests.model, to: "model.yaml")
        try await daemon.start()
        let id = IdentityStoryTests.employee
        try await daemon.save(#"{"insert":"Employee","id":"\#(id)","values":{"name":"Ann","visits":1}}"#)
        try await daemon.success(of: ["sync"])
        let share = daemon.folder.path("share")
        try FileManager.default.moveItem(atPath: daemon.logs, toPath: share)
        try await daemon.save(#"{"update":"Employee","id":"\#(id)","values":{"visits":{"increment":5}}}"#)
        let backup = daemon.folder.path("backup.sqlite")
        try await daemon.success(of: ["backup", backup])
        try FileManager.default.moveItem(atPath: share, toPath: daemon.logs)
        try await daemon.save(#"{"update":"Employee","id":"\#(id)","values":{"visits":{"increment":7}}}"#)
        try await daemon.success(of: ["sync"])
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        let restore = ["restore", backup, "--store", daemon.store, "--move-aside"]
        try await daemon.success(of: restore)

        let peer = try RunningDaemon("two", in: daemon.folder)
        try daemon.folder.write(IdentityStoryTests.model, to: "model.yaml")
        for daemon in [daemon, peer] { try await daemon.start() }
        try await exchange([daemon, peer])
        for daemon in [daemon, peer] {
            let object = try await daemon.call(.get, "/v1/objects/Employee/\(id)").1
            #expect((object["values"] as? [String: Any])?["visits"] as? Int == 13, "\(object)")
        }
        #expect(try await daemon.digest() == peer.digest())
    }

    /// The status and the metrics follow a decision at once.
    private func expectStatus(
        of writer: String,
        _ state: String?,
        countedAsBehind count: Int,
        _ daemon: RunningDaemon
    ) async throws {
        let writers = try #require(try await daemon.call(.get, "/v1/status").1["writers"] as? [String: Any])
        #expect(writers["behind"] as? Int == count, "\(writers)")
        let first = try #require(writers["first"] as? [[String: Any]])
        #expect(first.first { $0["id"] as? String == writer }?["state"] as? String == state, "\(writers)")
        let text = try await daemon.success(of: ["status"]).output
        #expect(text.contains("with transactions that are not here") == (count > 0), "\(text)")
        let metrics = try await daemon.success(of: ["metrics"]).output
        let behind = "tributary_store_behind_transactions{store=\"\(writer)\"} "
        #expect(metrics.contains(behind) && metrics.contains(behind + "0\n") == (count == 0), "\(metrics)")
    }

    @Test func aDepartedPeerIsAbandonedAndEvicted() async throws {
        let daemon = try await RunningDaemon.started(configuring: "watch: {incomplete_grace: 1s}")
        var gone = RunningDaemon.foreignWriter()
        for number in 1...3 as ClosedRange<UInt8> {
            let path = try gone.write([[RunningDaemon.insertion(number)]], to: daemon.folder.path("else"))
            let folder = "\(daemon.logs)/\(gone.id)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            guard number != 2 else { continue }
            try FileManager.default.moveItem(atPath: path, toPath: folder + "/" + (path as NSString).lastPathComponent)
        }
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
        while try await daemon.problems().isEmpty {}
        try await expectStatus(of: gone.id, nil, countedAsBehind: 1, daemon)
        #expect(try await followHint("segments-waiting", daemon).contains("abandoned"))
        #expect(try await daemon.problems().isEmpty)
        // Nothing was imported, so the main context still shows the state before the decision.
        try await expectStatus(of: gone.id, "abandoned", countedAsBehind: 0, daemon)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        try await daemon.start()
        #expect(try await daemon.command(["writer", "list"]).output.contains("abandoned"))

        var away = RunningDaemon.foreignWriter(2)
        try away.write([[RunningDaemon.insertion(9)]], to: daemon.logs)
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
        for _ in 0..<2 {
            #expect(try await daemon.command(["writer", "evict", away.id]).output.contains("evicted"))
        }
        try await expectStatus(of: away.id, "evicted", countedAsBehind: 0, daemon)
        #expect(try await daemon.command(["writer", "list"]).output.contains("evicted"))
        try away.write([[RunningDaemon.insertion(10)]], to: daemon.logs)
        #expect(try await daemon.call(.post, "/v1/sync").0 == 200)
        let list = try await daemon.command(["writer", "list"])
        #expect(!list.output.contains("evicted"))
        let own = try await daemon.writer()
        #expect(try await daemon.command(["writer", "evict", own]).ending == .exited(75))
        #expect(
            try await daemon.command(["writer", "abandon", RunningDaemon.foreignWriter(7).id]).ending == .exited(66)
        )
    }

    /// The journal of the daemon says who has restamped it, and the status follows.
    @Test func aRestampedStoreGoesOnAtOnce() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save(RunningDaemon.insertion(1))
        try await daemon.success(of: ["sync"])
        let former = try await daemon.writer()
        let token = try #require(try await daemon.call(.get, "/v1/history").1["token"] as? String)
        let restamp = try await daemon.command(["writer", "restamp"])
        let new = try await daemon.writer()
        #expect(restamp.ending == .exited(0) && restamp.output.contains(new) && new != former, "\(restamp)")
        #expect(daemon.journal.contains("the transactions that were never exported have new clocks"), "\(daemon.log)")
        // The history goes on, so that its tokens stay valid.
        #expect(try await daemon.call(.get, "/v1/history?after=\(token)").0 == 200)
        try await daemon.save(RunningDaemon.insertion(2))
        let peer = try RunningDaemon("two", in: daemon.folder)
        try await peer.start()
        try await exchange([daemon, peer])
        #expect(try await daemon.digest() == peer.digest())
        for daemon in [daemon, peer] {
            #expect(try await daemon.problems().isEmpty)
            #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        }
    }
}

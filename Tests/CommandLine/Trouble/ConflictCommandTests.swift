import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// Two daemons change one object before they have heard of each other; the losing value is listed and restored.
@Suite(.daemonTurns) struct ConflictCommandTests {
    private static let ann = "0190f1a2-0000-7000-8000-000000000001"
    private static let bob = "0190f1a2-0000-7000-8000-000000000002"

    @Test(.timeLimit(.minutes(10)))
    func losingValuesAreListedShownAndRestored() async throws {
        let folder = try TemporaryFolder("daemon")
        let daemons = [try RunningDaemon("one", in: folder), try RunningDaemon("two", in: folder)]
        for daemon in daemons { try await daemon.start() }
        try await daemons[0].save(
            #"{"insert":"Employee","id":"\#(Self.ann)","values":{"name":"Ann"}}"#,
            #"{"insert":"Employee","id":"\#(Self.bob)","values":{"name":"Bob"}}"#
        )
        try await exchange(daemons)
        // The paused daemons do not hear of each other's edits.
        for daemon in daemons { #expect(try await daemon.call(.post, "/v1/pause").0 == 200) }
        try await daemons[0].save(
            #"{"update":"Employee","id":"\#(Self.ann)","values":{"name":"Anne"}}"#,
            #"{"update":"Employee","id":"\#(Self.bob)","values":{"name":"Bobby"}}"#
        )
        try await daemons[1].save(
            #"{"update":"Employee","id":"\#(Self.ann)","values":{"name":"Anna"}}"#,
            #"{"delete":"Employee","id":"\#(Self.bob)"}"#
        )
        for daemon in daemons { #expect(try await daemon.call(.post, "/v1/resume").0 == 200) }
        try await exchange(daemons)
        for daemon in daemons {
            let found = try await conflicts(of: daemon)
            let texts = found.map { conflict in
                let losing = conflict["losing"] as? [String: Any]
                return "\(conflict["rule"] ?? "") \(losing?["value"] ?? "") of \(losing?["name"] ?? "?")"
            }
            #expect(texts.sorted() == ["deletion Bobby of one", "latest Anne of one"], "\(found)")
            let status = try await daemon.call(.get, "/v1/status").1["conflicts"] as? [String: Any]
            #expect(status?["kept"] as? Int == 2 && status?["dropped"] as? Int == 0)
        }
        try await commands(daemons[0])
        try await exchange(daemons)
        for daemon in daemons {
            for (id, name) in [(Self.ann, "Anne"), (Self.bob, "Bobby")] {
                let (status, object) = try await daemon.call(.get, "/v1/objects/Employee/\(id)")
                #expect(status == 200 && (object["values"] as? [String: Any])?["name"] as? String == name, "\(object)")
            }
        }
        #expect(try await daemons[0].digest() == daemons[1].digest())
    }

    private func commands(_ daemon: RunningDaemon) async throws {
        let list = try await daemon.command(["conflict", "list"])
        for text in ["latest", "deletion", "\"Anne\"", "\"Bobby\"", "Employee \(Self.ann)"] {
            #expect(list.output.contains(text), "\(text) in \(list.output)")
        }
        #expect(try await daemon.command(["status"]).output.contains("2 losing values"))
        #expect(try await daemon.command(["metrics"]).output.contains("tributary_conflicts_total 2"))
        let found = try await conflicts(of: daemon)
        for conflict in found {
            let number = "\(conflict["number"] ?? "")"
            let shown = try await daemon.command(["conflict", "show", number])
            #expect(shown.output.contains("tributaryctl conflict restore \(number)"), "\(shown.output)")
            #expect(shown.output.contains("one ") && shown.output.contains("two "), "\(shown.output)")
            let restored = try await daemon.command(["conflict", "restore", number])
            #expect(restored.ending == .exited(0) && restored.output.contains("\(conflict["id"] ?? "")"), "\(restored)")
        }
        #expect(try await conflicts(of: daemon).allSatisfy { $0["restored"] is Int })
        #expect(try await daemon.command(["conflict", "show", "99"]).ending == .exited(66))
        #expect(try await daemon.command(["conflict", "restore", "99"]).ending == .exited(66))
        #expect(try await daemon.command(["conflict", "list", "--limit", "1"]).output.contains("more: --after 1"))
        let (status, page) = try await daemon.call(.get, "/v1/conflicts?limit=1&after=1")
        #expect(status == 200 && (page["conflicts"] as? [Any])?.count == 1 && page["next"] == nil)
        #expect(try await daemon.call(.get, "/v1/conflicts?after=x").0 == 400)
    }

    private func exchange(_ daemons: [RunningDaemon]) async throws {
        for daemon in daemons + daemons { #expect(try await daemon.call(.post, "/v1/sync").0 == 200) }
    }

    private func conflicts(of daemon: RunningDaemon) async throws -> [[String: Any]] {
        let (status, answer) = try await daemon.call(.get, "/v1/conflicts")
        #expect(status == 200, "\(answer)")
        return try #require(answer["conflicts"] as? [[String: Any]])
    }
}

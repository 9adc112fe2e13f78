import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// `tributaryctl page` writes the page with names and values, for its owner only.
@Suite(.daemonTurns) struct PageCommandTests {
    @Test func thePageIsAFileOfItsOwner() async throws {
        let daemon = try await RunningDaemon.started()
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        try await daemon.success(of: ["sync"])
        let file = daemon.folder.path("page.html")
        let written = try await daemon.success(of: ["page", "--output", file])
        #expect(written.output.isEmpty && written.errors.contains("only its owner can read"), "\(written)")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("<!doctype html>") && text.contains(#""shows":"everything""#))
        #expect(text.contains("tributaryctl --socket \(daemon.socket)"), "the lines to paste name the socket")
        #expect(text.contains("<pre>one: running, problems: 0, "), "no words for a browser that runs no script")
        // It is never written over something.
        #expect(try await daemon.command(["page", "--output", file]).ending == .exited(74))
        let printed = try await daemon.success(of: ["page"])
        #expect(printed.output.hasPrefix("<!doctype html>"))

        let json = try await daemon.success(of: ["page", "--json"])
        let data = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        let minutes = try #require(data?["minutes"] as? [[Double]])
        #expect(minutes.reduce(0) { $0 + $1[1] } == 1, "one imported transaction: \(minutes)")
        let now = Date().timeIntervalSince1970
        #expect(minutes.allSatisfy { $0[0] > now - 300 && $0[0] <= now + 1 }, "\(minutes)")
        let folder = data?["folder"] as? [String: Any]
        #expect(try #require(folder?["bytes"] as? Int) > 200 && folder?["files"] as? Int ?? 0 > 0, "\(folder ?? [:])")
        let trust = data?["trust"] as? [String: Any]
        #expect(trust?["mode"] as? String == "any" && trust?["encrypts"] as? Bool == false, "\(trust ?? [:])")
        #expect((trust?["ownKey"] as? String)?.count == 64, "\(trust ?? [:])")
        let stores = (data?["writers"] as? [String: Any])?["writers"] as? [[String: Any]]
        #expect(stores?.contains { $0["id"] as? String == writer.id } == true, "\(stores ?? [])")
    }

    @Test func nobodyAnswers() async throws {
        let folder = try TemporaryFolder("page")
        let file = folder.path("page.html")
        let answer = try await Answer(
            of: ["--socket", folder.path("none.sock"), "page", "--output", file],
            in: folder
        )
        #expect(answer.ending == .exited(69), "\(answer)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}

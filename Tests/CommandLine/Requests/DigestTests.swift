import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A digest has no time limit and reports its progress.
@Suite(.daemonTurns) struct DigestTests {
    @Test(.timeLimit(.minutes(30))) func aDigestTellsOfItsProgress() async throws {
        let daemon = try await RunningDaemon.started()
        try await daemon.save((0..<3_000).map { #"{"insert":"Department","values":{"title":"\#($0)"}}"# })
        let plain = try await daemon.digest()
        var events: [ServerSentEvent] = []
        let answer = try await daemon.client.events(AdminCall(.get, "/v1/digest")) { event in
            events.append(event)
            return true
        }
        #expect(answer.status == 200)
        #expect(events.first?.event == "progress" && events.first?.data.contains("objects") == true, "\(events)")
        let last = try #require(events.last)
        #expect(last.event == "result")
        let result = try JSONSerialization.jsonObject(with: Data(last.data.utf8)) as? [String: Any]
        #expect(result?["digest"] as? String == plain)
        let shown = try await daemon.command(["digest"])
        #expect(shown.output.contains(plain), "\(shown.errors)")
    }
}

import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryChanges

@Suite("A synchronization tells of its progress", .serialized)
struct SyncProgressTests {
    private func events(_ daemon: RunningDaemon) async throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        _ = try await daemon.client.events(AdminCall(.post, AdminPath.sync)) { event in
            events.append(event)
            return true
        }
        return events
    }

    @Test("progress comes first and the result last; a refusal is a problem", .timeLimit(.minutes(10)))
    func streams() async throws {
        let daemon = try RunningDaemon()
        try await daemon.start()
        let segment = EmployeeSegment(writer: UniqueID(UUID()), transactions: 3, changesEach: 100)
        try segment.publish(in: daemon.logs)
        let told = try await events(daemon)
        #expect(told.count >= 2 && told.dropLast().allSatisfy { $0.event == "progress" })
        #expect(told.first?.data.contains("\"queue\":") == true)
        let last = try #require(told.last)
        #expect(last.event == "result")
        let result = try JSONDecoder().decode(SyncMessage.self, from: Data(last.data.utf8))
        #expect(result.remaining.isEmpty)
        #expect(try await daemon.call(.get, "/v1/objects/Employee?count=true").1["count"] as? Int == 300)

        #expect(try await daemon.command(["pause"]).ending == .exited(0))
        let refused = try await events(daemon)
        #expect(refused.last?.event == "problem")
        #expect(refused.last?.data.contains("urn:tributary:problem:paused") == true)
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }
}

import Testing
import TributaryAdmin

@testable import TributaryDaemon

@Suite struct ReadLimiterTests {
    @Test func aReadBeyondTheLimitIsRefusedWithAReason() async throws {
        let room = ReadLimiter(limit: 2)
        try await room.run {
            try await room.run {
                let refusal = await #expect(throws: ProblemDocument.self) { try await room.run {} }
                #expect(refusal?.status == 503)
                #expect(refusal?.type == ProblemKind.tooManyClients.type)
            }
            // A read can start after another one has ended.
            #expect(try await room.run { 7 } == 7)
        }
    }
}

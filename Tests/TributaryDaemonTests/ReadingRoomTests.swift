import Testing
import TributaryAdmin

@testable import TributaryDaemon

@Suite struct ReadingRoomTests {
    @Test func whoeverIsOneTooManyIsToldSo() async throws {
        let room = ReadingRoom(most: 2)
        try await room.admit {
            try await room.admit {
                let refusal = await #expect(throws: ProblemDocument.self) { try await room.admit {} }
                #expect(refusal?.status == 503)
                #expect(refusal?.type == ProblemKind.tooManyClients.type)
            }
            // A place that was left can be taken again.
            #expect(try await room.admit { 7 } == 7)
        }
    }
}

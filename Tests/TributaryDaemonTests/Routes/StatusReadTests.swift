import Testing
import Tributary
import TributaryStore

@testable import TributaryDaemon

@Suite struct StatusReadTests {
    /// Starts as many reads as the status may have, then runs `body`.
    private func fill(_ places: Int, of engine: Engine, then body: () async throws -> Void) async throws {
        guard places > 0 else { return try await body() }
        try await engine.statusReadLimiter.run { try await fill(places - 1, of: engine, then: body) }
    }

    @Test func `a status that is asked too often does without what it would read`() async throws {
        let test = try TestEngine()
        let engine = try await test.open()
        try await fill(Engine.statusReadLimit, of: engine) {
            let refused = await engine.readSoon { try $0.writers.all().count }
            #expect(refused == nil)
            // Clients' reads have a limit of their own.
            let read = try await engine.read { try $0.writers.all().count }
            #expect(read == 1)
        }
        let admitted = await engine.readSoon { try $0.writers.all().count }
        #expect(admitted == 1)
        try await engine.container.close()
        withExtendedLifetime(test) {}
    }
}

import Logging
import Testing
import Tributary
import TributaryAdmin
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

    @Test func `a disk that fails is told from a program that does`() {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        for (code, kind) in [
            (Int32(13), ProblemKind.storageFull), (10, .inputOutput), (10 | 3 << 8, .inputOutput), (8, .inputOutput),
            (14, .inputOutput), (11, .failure), (1, .failure),
        ] as [(Int32, ProblemKind)] {
            let error = StoreError.database(code: code, message: "no")
            #expect(ProblemMapping.problem(of: error, logger: logger, path: "/").type == kind.type, "\(code)")
        }
        let blob = StoreError.blob(path: "/p", reason: "no space")
        #expect(ProblemMapping.problem(of: blob, logger: logger, path: "/").type == ProblemKind.inputOutput.type)
    }
}

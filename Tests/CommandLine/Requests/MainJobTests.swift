import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

@Suite("The main job, with real processes", .daemonTurns)
struct MainJobTests {
    private static let ann = "0190f1a2-0000-7000-8000-000000000001"

    private func foreign() -> ForeignWriter {
        ForeignWriter(
            id: "5f0c0000-0000-4000-8000-000000000001",
            milliseconds: UInt64(Date().timeIntervalSince1970 * 1000) - 60_000
        )
    }

    @Test("a dropped segment shows in the list, in SQLite and on the change stream", .timeLimit(.minutes(30)))
    func dropped() async throws {
        let daemon = try await RunningDaemon.started()
        var writer = foreign()
        let stream = AdminCall(.get, .changes)
        var update: ServerSentEvent?
        var hasStarted = false
        _ = try await daemon.client.events(stream) { event in
            if event.event == "hello" {
                hasStarted = true
                try writer.write(
                    [[#"{"insert":"Employee","id":"\#(Self.ann)","values":{"name":"Ann","salary":1200.5}}"#]],
                    to: daemon.logs
                )
            }
            if event.event == "storeDidUpdate" { update = event }
            return update == nil
        }
        #expect(hasStarted)
        #expect(update?.data.contains("\"inserted\":{\"Employee\":[\"\(Self.ann)\"]}") == true, "\(update?.data ?? "")")
        #expect(update?.id?.contains("@") == true)
        let list = try await daemon.success(of: ["object", "list", "Employee", "--where", "salary > 1000"])
        #expect(list.output.contains("Ann"))
        #expect(try PlainSQL(path: daemon.store).value("SELECT name FROM Employee") == "Ann")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
        #expect(try PlainSQL(path: daemon.store).value("SELECT salary FROM Employee") == "1200.5")
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    }

    @Test("SIGTERM in the middle of an import ends well, and the next start finishes it", .timeLimit(.minutes(30)))
    func stopDuringImport() async throws {
        let daemon = try RunningDaemon()
        var writer = foreign()
        for segment in 0..<40 {
            var transactions: [[String]] = []
            for transaction in 0..<10 {
                transactions.append(
                    (0..<50).map { change in
                        let number = (segment * 10 + transaction) * 50 + change
                        let id = "0190f1a2-0000-7000-8000-" + String(String(number + 1_000_000_000_000).suffix(12))
                        return #"{"insert":"Employee","id":"\#(id)","values":{"name":"E\#(number)"}}"#
                    }
                )
            }
            try writer.write(transactions, to: daemon.logs)
        }
        try await daemon.start()
        daemon.process?.send(SIGTERM)
        daemon.process?.send(SIGTERM)
        #expect(await daemon.process?.ending() == .exited(0), "\(daemon.log)")
        let partial = try PlainSQL(path: daemon.store).value("SELECT count(*) FROM Employee").flatMap { Int($0) }
        #expect((partial ?? -1) % 50 == 0, "a transaction was split")
        try await daemon.start()
        try await daemon.success(of: ["sync"])
        #expect(try PlainSQL(path: daemon.store).value("SELECT count(*) FROM Employee") == "20000")
    }
}

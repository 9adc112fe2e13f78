import Foundation
import TestSupport
import Testing
import TributaryAdmin

@Suite("A folder that may not be read for a while", .daemonTurns)
struct UnreadableFolderTests {
    /// The daemon runs without the capability that lets root read all files.
    @Test("is read within seconds once it may be, and so is a file, without anybody asking", .timeLimit(.minutes(30)))
    func unreadable() async throws {
        let daemon = try RunningDaemon()
        var (first, second) = (RunningDaemon.foreignWriter(1), RunningDaemon.foreignWriter(2))
        let path = try first.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        let file = try second.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        let folder = (path as NSString).deletingLastPathComponent
        #expect(chmod(folder, 0) == 0 && chmod(file, 0) == 0)
        try await daemon.startWithoutReadingEverything()
        let (_, status) = try await daemon.call(.get, "/v1/status")
        let codes = (status["problems"] as? [[String: Any]])?.compactMap { $0["code"] as? String } ?? []
        #expect(codes.contains("logs-unreadable"), "\(status)")

        var hired = 0
        _ = try await daemon.client.events(AdminCall(.get, .changes)) { event in
            if event.event == "hello" {
                #expect(chmod(folder, 0o770) == 0 && chmod(file, 0o660) == 0)
            } else if event.event == "storeDidUpdate" {
                hired = try PlainSQL(path: daemon.store).rows("SELECT name FROM Employee").count
            }
            return hired < 2
        }
        #expect(hired == 2, "\(daemon.log)")
        let (_, cured) = try await daemon.call(.get, "/v1/status")
        #expect((cured["problems"] as? [[String: Any]])?.isEmpty == true, "\(cured)")
        #expect(await daemon.stop() == .exited(0), "\(daemon.log)")
    }
}

import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryDaemon

@Suite("One daemon a store")
struct StoreLockTests {
    @Test("the second is told the first one's pid, and may have the store when the first is gone")
    func second() throws {
        let folder = try TemporaryFolder("lock")
        let store = folder.path("s.sqlite")
        var first: StoreLock? = try StoreLock.take(store: store)
        let refused = #expect(throws: StartFailure.self) { try StoreLock.take(store: store) }
        #expect(refused?.status == .tryAgain)
        #expect(refused?.reason.contains("pid \(getpid()) host ") == true)
        withExtendedLifetime(first) {}
        first = nil
        _ = try StoreLock.take(store: store)
        #expect(FileManager.default.fileExists(atPath: store + ".lock"))
    }
}

import Foundation
import Glibc
import TestSupport
import Testing
import TributaryAdmin

@testable import TributaryDaemon

@Suite("One daemon a store")
struct StoreLockTests {
    @Test("the second is refused with the pid of the first, and may open the store after its end")
    func second() throws {
        let folder = try TemporaryFolder("lock")
        let store = folder.path("s.sqlite")
        var first: StoreLock? = try StoreLock.acquire(store: store)
        let refused = #expect(throws: StartFailure.self) { try StoreLock.acquire(store: store) }
        #expect(refused?.status == .tryAgain)
        #expect(refused?.reason.contains("pid \(getpid()) host ") == true)
        withExtendedLifetime(first) {}
        first = nil
        _ = try StoreLock.acquire(store: store)
        #expect(FileManager.default.fileExists(atPath: store + ".lock"))
    }

    @Test("a store with a hard link is refused under each of its names, until it has one again")
    func hardLink() throws {
        let folder = try TemporaryFolder("lock")
        let (store, other) = (folder.path("s.sqlite"), folder.path("other.sqlite"))
        let first = try StoreLock.acquire(store: store)
        try folder.write("a store", to: "s.sqlite")
        try FileManager.default.linkItem(atPath: store, toPath: other)
        let refused = #expect(throws: StartFailure.self) { try StoreLock.acquire(store: other) }
        #expect(refused?.status == .badConfiguration, "\(refused?.reason ?? "")")
        #expect(refused?.reason.hasSuffix("find / -xdev -samefile '\(other)'") == true, "\(refused?.reason ?? "")")
        // Of one name, the daemon that has the store is the reason.
        #expect(#expect(throws: StartFailure.self) { try StoreLock.acquire(store: store) }?.status == .tryAgain)
        try FileManager.default.removeItem(atPath: store)
        _ = try StoreLock.acquire(store: other)
        withExtendedLifetime(first) {}
    }

    @Test("the lock ends with its holder while a process that was forked meanwhile still has the open file")
    func forkedMeanwhile() throws {
        let folder = try TemporaryFolder("lock")
        let store = folder.path("s.sqlite")
        var first: StoreLock? = try StoreLock.acquire(store: store)
        // A second descriptor of the open file, as the child of a fork has it until it executes its program.
        let inherited = try duplicate(ofFile: store + ".lock")
        defer { close(inherited) }
        withExtendedLifetime(first) {}
        first = nil
        _ = try StoreLock.acquire(store: store)
    }

    private func duplicate(ofFile path: String) throws -> Int32 {
        let listed = "/proc/self/fd"
        let descriptor = try FileManager.default.contentsOfDirectory(atPath: listed).first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(listed)/\($0)")) == path
        }
        return dup(try #require(descriptor.flatMap { Int32($0) }))
    }
}

import Synchronization
import Testing

@testable import Tributary

/// Swift's runtime retains an object by its address only while the object's deinitialization has not begun.
///
/// `LiveObjectTable` relies on this function of the runtime, which is no public interface: these tests fail when a version
/// of Swift changes it.
struct RuntimeRetainTests {
    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private final class Log: Sendable {
        let attempts = Mutex<[Bool]>([])
    }

    /// Tries to retain itself during its own deinitialization.
    private final class Ending: Sendable {
        let log: Log

        init(_ log: Log) { self.log = log }

        deinit {
            let isRetained = LiveObjectTable.retain(RuntimeRetainTests.address(of: self)) != nil
            log.attempts.withLock { $0.append(isRetained) }
        }
    }

    private static func address(of object: Ending) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    @Test func aLiveObjectIsRetainedOnce() throws {
        let log = Log()
        var object: Ending? = Ending(log)
        let address = Self.address(of: try #require(object))
        #expect(LiveObjectTable.retain(address) == address)
        object = nil
        #expect(log.attempts.withLock { $0.isEmpty }, "the retained object lives without its variable")
        let pointer = try #require(UnsafeRawPointer(bitPattern: address))
        Unmanaged<Ending>.fromOpaque(pointer).release()
        #expect(log.attempts.withLock { $0.count } == 1, "one release ends it")
    }

    @Test func anObjectWhoseEndHasBegunIsNotRetained() {
        let log = Log()
        for _ in 0..<100 { _ = Ending(log) }
        #expect(log.attempts.withLock { $0 } == Array(repeating: false, count: 100))
    }

    /// Two threads: one releases the last reference while the other tries to retain the object.
    ///
    /// The object's memory is kept meanwhile by an unowned reference, as the lock of `LiveObjectTable` keeps it.
    @Test func aRaceForTheLastReferenceHasOneWinner() async {
        let log = Log()
        let rounds = 2000
        var retained = 0
        for _ in 0..<rounds {
            let (last, memory, address) = Self.heldByABox(log)
            let isEnding = Flag()
            let end = Task.detached {
                isEnding.value.store(true, ordering: .releasing)
                _ = last.open()
            }
            while !isEnding.value.load(ordering: .acquiring) { await Task.yield() }
            if LiveObjectTable.retain(address) != nil, let pointer = UnsafeRawPointer(bitPattern: address) {
                retained += 1
                Unmanaged<Ending>.fromOpaque(pointer).release()
            }
            await end.value
            withExtendedLifetime(memory) {}
        }
        print("retained \(retained) of \(rounds)")
        #expect(log.attempts.withLock { $0 } == Array(repeating: false, count: rounds), "each ended once")
    }

    /// Returns the only reference to a new object, what keeps its memory, and its address.
    private static func heldByABox(_ log: Log) -> (SendingBox<Ending>, Unowned, UInt) {
        let object = Ending(log)
        return (SendingBox(object), Unowned(object: object), address(of: object))
    }

    private struct Unowned {
        unowned let object: Ending
    }
}

import Synchronization
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Pending notifications come out in order and complete, in bounded memory.
struct PendingNotificationsTests {
    private static func id(_ number: UInt64, _ entity: String = "Employee") -> ManagedObjectID {
        ManagedObjectID(entity, UniqueID(high: 0, low: number), store: "test")
    }

    private static func pendingNotifications(limit: Int = 10_000) -> PendingNotifications {
        var options = MergeOptions()
        options.pendingLimit = limit
        return PendingNotifications(options: options, clock: ManualClock())
    }

    private final class Taken: Sendable {
        let changes = Mutex(ObjectChanges(limit: 1_000_000))
    }

    private static func changes(_ body: (inout ObjectChanges) -> Void) -> ObjectChanges {
        var changes = ObjectChanges()
        body(&changes)
        return changes
    }

    @Test func takesOutWhatWasPutInAsOneSet() {
        let pendingNotifications = Self.pendingNotifications()
        #expect(pendingNotifications.isEmpty)
        let first = pendingNotifications.post(Self.changes { $0.insert(Self.id(1)) })
        let second = pendingNotifications.post(
            Self.changes {
                $0.update(Self.id(1)); $0.update(Self.id(2))
            }
        )
        let third = pendingNotifications.post(Self.changes { $0.delete(Self.id(2)) })
        #expect(!pendingNotifications.isEmpty)
        #expect(first == .sleep(until: .seconds(1)))
        #expect([second, third] == [.none, .none], "one timer is enough")
        let all = pendingNotifications.drain()
        #expect(all?.inserted == [Self.id(1)])
        #expect(all?.updated == [])
        #expect(all?.deleted == [Self.id(2)])
        #expect(pendingNotifications.drain() == nil)
        #expect(pendingNotifications.next() == .none)
    }

    @Test func manyWritersLoseNothing() async {
        let pendingNotifications = Self.pendingNotifications(limit: 1_000_000)
        let taken = Taken()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        pendingNotifications.post(Self.changes { $0.insert(Self.id(UInt64(writer * 1000 + number))) })
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    if let some = pendingNotifications.drain() { taken.changes.withLock { $0.formUnion(some) } }
                    await Task.yield()
                }
            }
        }
        if let rest = pendingNotifications.drain() { taken.changes.withLock { $0.formUnion(rest) } }
        #expect(taken.changes.withLock { $0.inserted.count } == 2000)
    }
}

import Testing

@testable import Tributary

/// Several subscribers, slow ones and ones that leave.
struct StoreUpdatesTests {
    private static func update(_ number: Int64, limit: Int = 100) -> StoreUpdate {
        var changes = ObjectChanges(limit: limit)
        changes.insert(ManagedObjectID("Employee", UniqueID(high: 0, low: UInt64(number)), store: "test"))
        return StoreUpdate(token: HistoryToken(store: "test", number: number), changes: changes)
    }

    @Test func eachSubscriberGetsAllFromItsStartOn() async {
        let broadcast = UpdateBroadcast()
        broadcast.send(Self.update(1))
        var first = broadcast.subscribe().makeAsyncIterator()
        broadcast.send(Self.update(2))
        var second = broadcast.subscribe().makeAsyncIterator()
        broadcast.send(Self.update(3))
        let both = await first.next()
        #expect(both?.token.number == 3)
        #expect(both?.changes.inserted.count == 2)
        let one = await second.next()
        #expect(one?.token.number == 3)
        #expect(one?.changes.inserted.count == 1)
        broadcast.finish()
        #expect(await first.next() == nil)
        #expect(await second.next() == nil)
    }

    @Test func aSlowSubscriberEndsWithEverythingOfAnEntity() async {
        let broadcast = UpdateBroadcast()
        var slow = broadcast.subscribe().makeAsyncIterator()
        for number in 1...50 { broadcast.send(Self.update(Int64(number), limit: 10)) }
        let update = await slow.next()
        #expect(update?.token.number == 50)
        #expect(update?.changes.collapsedEntities == ["Employee"])
    }

    @Test func aWaitingSubscriberIsHandedEachUpdateInOrder() async {
        let broadcast = UpdateBroadcast()
        let updates = broadcast.subscribe()
        let reader = Task {
            var numbers: [Int64] = []
            var count = 0
            for await update in updates {
                numbers.append(update.token.number)
                count += update.changes.inserted.count
            }
            return (numbers, count)
        }
        for number in 1...100 {
            broadcast.send(Self.update(Int64(number)))
            if number % 7 == 0 { await Task.yield() }
        }
        broadcast.finish()
        let (numbers, count) = await reader.value
        #expect(numbers == numbers.sorted())
        #expect(numbers.last == 100)
        #expect(count == 100)
    }

    @Test func cancellingEndsTheWait() async {
        let broadcast = UpdateBroadcast()
        let updates = broadcast.subscribe()
        let reader = Task { () -> StoreUpdate? in
            var iterator = updates.makeAsyncIterator()
            return await iterator.next()
        }
        reader.cancel()
        #expect(await reader.value == nil)
    }

    @Test func aSubscriberThatComesAfterTheEndGetsNothing() async {
        let broadcast = UpdateBroadcast()
        broadcast.finish()
        var late = broadcast.subscribe().makeAsyncIterator()
        #expect(await late.next() == nil)
    }
}

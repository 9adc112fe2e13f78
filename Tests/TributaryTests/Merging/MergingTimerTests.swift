import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// When the main context merges, on a clock that the test moves.
@MainActor
struct MergingTimerTests {
    let fixture: MergingFixture

    init() async throws { fixture = try await MergingFixture() }

    @Test func aSaveIsShownWhenTheQuietPeriodIsOver() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let token = try await fixture.open("Ann")
        #expect(try fixture.owners() == [])
        #expect(fixture.container.mergeStatus.nextMergeDue != nil)
        await fixture.advance(to: .seconds(1))
        let update = await updates.next()
        #expect(update?.token == token)
        #expect(update?.changes.tells(ofInserted: 1) == true)
        #expect(try fixture.owners() == ["Ann"])
        #expect(fixture.container.mergeStatus.nextMergeDue == nil)
        #expect(fixture.container.mergeStatus.lastMerge != nil)
    }

    @Test func severalSavesAreOneUpdate() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        try await fixture.open("Ann")
        await fixture.clock.waitForSleeper(until: .seconds(1))
        fixture.clock.advance(to: .milliseconds(600))
        try await fixture.open("Bob", "Cid")
        await fixture.advance(to: .seconds(1))
        await fixture.clock.waitForSleeper(until: .milliseconds(1600))
        #expect(try fixture.owners() == [], "the second save began the quiet period anew")
        fixture.clock.advance(to: .milliseconds(1600))
        let update = await updates.next()
        #expect(update?.token.number == 2)
        #expect(update?.changes.tells(ofInserted: 3) == true)
        #expect(try fixture.owners() == ["Ann", "Bob", "Cid"])
    }

    @Test func aSteadyStreamCannotStarveTheMainContext() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        try await fixture.open("0")
        // A save each 0.9 s: the quiet period never ends.
        for step in 1...5 {
            let now = Duration.milliseconds(900 * step)
            await fixture.clock.waitForSleeper(until: now + .milliseconds(100))
            fixture.clock.advance(to: now)
            try await fixture.open("\(step)")
            #expect(try fixture.owners() == [], "after \(now)")
            fixture.clock.advance(to: now + .milliseconds(100))
        }
        await fixture.advance(to: .seconds(5))
        let update = await updates.next()
        #expect(update?.changes.tells(ofInserted: 6) == true)
        #expect(try fixture.owners().count == 6)
    }

    @Test func nobodyHasToWaitForTheTimer() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let token = try await fixture.open("Ann")
        await fixture.container.mergePendingChanges(through: token)
        #expect(try fixture.owners() == ["Ann"])
        #expect(await updates.next()?.token == token)
        let other = try await fixture.open("Bob")
        await fixture.container.mergePendingChanges()
        #expect(try fixture.owners() == ["Ann", "Bob"])
        #expect(await updates.next()?.token == other)
        // Nothing is left: no merge, no update.
        let before = fixture.container.mainGeneration.number
        await fixture.container.mergePendingChanges()
        #expect(fixture.container.mainGeneration.number == before)
        try await fixture.container.close()
        #expect(await updates.next() == nil)
    }

    @Test func shorterTimesTakeEffectWithTheNextSave() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        try await fixture.open("Ann")
        await fixture.clock.waitForSleeper(until: .seconds(1))
        var options = MergeOptions.fixture
        options.debounce = .milliseconds(100)
        fixture.container.setMergeOptions(options)
        try await fixture.open("Bob")
        await fixture.advance(to: .milliseconds(100))
        #expect(await updates.next()?.changes.tells(ofInserted: 2) == true)
    }
}

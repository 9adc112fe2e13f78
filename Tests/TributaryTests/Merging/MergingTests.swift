import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// When the main context merges, on a clock that the test moves; its own changes before, in and after a merge.
@MainActor
struct MergingTests {
    let fixture: MergingFixture

    init() async throws { fixture = try await MergingFixture() }

    @Test func aMergeSavesTheMainContextAndPostsOneUpdate() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let own = try fixture.openInMain("Main")
        try await fixture.open("Ann")
        await fixture.advance(to: .seconds(1))
        let update = await updates.next()
        #expect(update?.token.number == 2)
        #expect(update?.changes.tells(ofInserted: 2) == true)
        #expect(update?.changes.tells(of: own.objectID) == true)
        #expect(!fixture.container.viewContext.hasChanges)
        #expect(try fixture.stored() == 2)
        #expect(fixture.container.mainGeneration.number == 2)
        try await fixture.container.close()
        #expect(await updates.next() == nil, "one update, not two")
    }

    @Test func savesOfOnesOwnCanBeSwitchedOff() async throws {
        let fixture = try await MergingFixture { $0.saves = false }
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let own = try fixture.openInMain("Main")
        try await fixture.open("Ann")
        await fixture.advance(to: .seconds(1))
        #expect(await updates.next()?.changes.tells(ofInserted: 1) == true)
        #expect(fixture.container.viewContext.hasChanges)
        #expect(try fixture.stored() == 1)
        withExtendedLifetime(own) {}
        try await fixture.container.close()
    }

    @Test func aMainSaveMergesWhatWasCommittedBeforeIt() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        try await fixture.open("Ann")
        let own = try fixture.openInMain("Main")
        try fixture.container.viewContext.save()
        // Without any merge by the timer.
        #expect(try fixture.owners() == ["Ann", "Main"])
        let update = await updates.next()
        #expect(update?.token == fixture.container.viewContext.lastSaveToken)
        #expect(update?.changes.tells(ofInserted: 2) == true)
        #expect(update?.changes.tells(of: own.objectID) == true)
        #expect(fixture.container.mergeStatus.nextMergeDue == nil, "nothing is left to merge")
        try await fixture.container.close()
        #expect(await updates.next() == nil)
    }

    /// Saves of the main context are not merged into it again.
    @Test func observersOfTheMainContextDoNotSeeItsOwnSaveAsAMerge() async throws {
        let own = try fixture.openInMain("Main")
        try fixture.container.viewContext.save()
        #expect(fixture.container.pipeline.pendingNotifications.isEmpty)
        try own.setValue(.integer(5), forKey: "balance")
        try fixture.container.viewContext.save()
        #expect(fixture.container.pipeline.pendingNotifications.isEmpty)
        #expect(try own.value(forKey: "balance") == .integer(5))
        #expect(fixture.clock.sleeperCount == 0, "no timer runs")
        try await fixture.container.close()
    }

    @Test func aFailingMainSaveKeepsItsEditsAndIsReportedOnce() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        var failures = fixture.container.mainSaveFailures().makeAsyncIterator()
        let own = try fixture.openInMain("a name that is much longer than twenty letters")
        try await fixture.open("Ann")
        await fixture.advance(to: .seconds(1))
        #expect(await updates.next()?.changes.tells(ofInserted: 1) == true, "the update is posted all the same")
        #expect(await failures.next()?.error is ValidationError)
        #expect(fixture.container.viewContext.hasChanges)
        #expect(try own.value(forKey: "owner") == .string("a name that is much longer than twenty letters"))

        // The next merge does not try again...
        try await fixture.open("Bob")
        await fixture.container.mergePendingChanges()
        #expect(await updates.next()?.changes.tells(ofInserted: 1) == true)
        #expect(fixture.container.viewContext.hasChanges)

        // ... but the one after a change does.
        try own.setValue(.string("short"), forKey: "owner")
        try await fixture.open("Cid")
        await fixture.container.mergePendingChanges()
        #expect(await updates.next()?.changes.tells(ofInserted: 2) == true)
        #expect(!fixture.container.viewContext.hasChanges)
        try await fixture.container.close()
        #expect(await failures.next() == nil, "told once")
    }

    @Test func closingMergesAndSavesALastTime() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let own = try fixture.openInMain("Main")
        try await fixture.open("Ann")
        let background = fixture.container.newBackgroundContext()
        background.enqueue { context in
            guard let account = try? context.insert(entity: "Account") else { return }
            try? account.setValue(.string("Late"), forKey: "owner")
            try? context.save()
        }
        try await fixture.container.close()
        withExtendedLifetime(own) {}
        let update = await updates.next()
        #expect(update?.changes.tells(ofInserted: 3) == true)
        #expect(await updates.next() == nil)
        let again = try await PersistentContainer(
            name: "test",
            path: fixture.folder.path("store.sqlite"),
            model: fixture.store.model
        )
        #expect(try again.viewContext.count(for: FetchRequest("Account")) == 3)
        try await again.close()
    }

    // MARK: Timers

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

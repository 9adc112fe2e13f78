import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// `automaticallyMergesChangesFromParent` and `retainsRegisteredObjects`.
@MainActor
struct AutomaticMergingTests {
    let fixture: MergingFixture
    var view: ManagedObjectContext { fixture.container.viewContext }

    init() async throws { fixture = try await MergingFixture() }

    @Test func theViewContextMergesByItselfUnlessToldOtherwise() async throws {
        #expect(view.automaticallyMergesChangesFromParent)
        view.automaticallyMergesChangesFromParent = false
        let token = try await fixture.open("Ann")
        fixture.clock.advance(to: .seconds(10))
        #expect(fixture.container.pipeline.pendingNotifications.next() == .none, "what the timer asks")
        #expect(try fixture.owners() == [], "no timer moves it")
        #expect(fixture.container.mergeStatus.nextMergeDue == nil)
        await fixture.container.mergePendingChanges()
        #expect(try fixture.owners() == ["Ann"])
        #expect(fixture.container.mainGeneration.number == token.number)
    }

    @Test func aSaveMovesAViewContextThatDoesNotMergeByItself() async throws {
        view.automaticallyMergesChangesFromParent = false
        try await fixture.open("Ann")
        let own = try fixture.openInMain("Main")
        try view.save()
        #expect(try fixture.owners() == ["Ann", "Main"])
        withExtendedLifetime(own) {}
    }

    @Test func aResetMovesTheViewContextToTheNewestState() async throws {
        view.automaticallyMergesChangesFromParent = false
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let own = try fixture.openInMain("Main")
        let token = try await fixture.open("Ann")
        view.reset()
        #expect(own.state == .detached && !view.hasChanges)
        #expect(try fixture.owners() == ["Ann"])
        #expect(await updates.next()?.token == token)
    }

    /// A store that was set back gives the numbers of its transactions again.
    @Test func tokensFollowAStoreThatIsSetBack() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        let former = try await fixture.open("Ann")
        await fixture.container.mergePendingChanges()
        #expect(await updates.next()?.token == former)
        try await fixture.container.store.writeAsync { transaction in
            try transaction.setSetting(IdentityKeys.history, to: UniqueID(high: 1, low: 2).description)
        }
        let token = try await fixture.open("Bob")
        #expect(token.store != former.store)
        await fixture.container.mergePendingChanges()
        #expect(await updates.next()?.token == token)
    }

    @Test func aMergeThatWasHeldBackComesWhenTheTimerIsLetGo() async throws {
        var updates = fixture.container.storeUpdates().makeAsyncIterator()
        view.automaticallyMergesChangesFromParent = false
        let token = try await fixture.open("Ann")
        fixture.clock.advance(to: .seconds(3))
        #expect(fixture.container.pipeline.pendingNotifications.next() == .none, "what the timer asks")
        view.automaticallyMergesChangesFromParent = true
        #expect(await updates.next()?.token == token)
        #expect(try fixture.owners() == ["Ann"])
    }

    @Test func aBackgroundContextDoesNotMergeByItselfUnlessAsked() async throws {
        let token = try await fixture.open("Ann")
        let background = fixture.container.newBackgroundContext()
        let other = fixture.container.newBackgroundContext()
        #expect(token.number == 1)
        let id = try await background.perform { context in
            #expect(!context.automaticallyMergesChangesFromParent)
            context.retainsRegisteredObjects = true
            return try #require(try context.fetch(FetchRequest("Account")).first).objectID
        }
        try await other.save { try $0.object(with: id).setValue(.string("Bob"), forKey: "owner") }
        try await background.perform { (context: ManagedObjectContext) throws in
            #expect(try context.object(with: id).value(forKey: "owner") == .string("Ann"))
            context.automaticallyMergesChangesFromParent = true
            #expect(try context.object(with: id).value(forKey: "owner") == .string("Ann"), "never inside a body")
        }
        try await background.perform { (context: ManagedObjectContext) throws in
            #expect(try context.object(with: id).value(forKey: "owner") == .string("Bob"))
        }
    }

    @Test func changesPastThePurgedHistoryAreReadAnew() async throws {
        try await fixture.open("Ann")
        let id = try await fixture.container.performBackgroundTask { context in
            try #require(try context.fetchIDs(FetchRequest("Account")).first)
        }
        let background = fixture.container.newBackgroundContext()
        try await background.perform { (context: ManagedObjectContext) throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            #expect(try context.object(with: id).value(forKey: "owner") == .string("Ann"))
        }
        // The context has merged everything.
        await background.perform { _ in }
        try await fixture.container.save { context in
            try context.object(with: id).setValue(.string("Bea"), forKey: "owner")
            try context.save()
            try context.insert(entity: "Account").setValue(.string("Cid"), forKey: "owner")
        }
        try await fixture.container.deleteHistory(before: fixture.container.currentHistoryToken())
        try await background.perform { (context: ManagedObjectContext) throws in
            #expect(try context.object(with: id).value(forKey: "owner") == .string("Bea"))
        }
    }

    @Test func aSavedObjectThatOthersDeletedIsInvalidated() async throws {
        let background = fixture.container.newBackgroundContext()
        let id = try await background.save { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            let account = try context.insert("Account", ["owner": .string("Ann")])
            return account.objectID
        }
        try await fixture.container.delete(id)
        await background.perform { context in
            #expect(context.registeredObject(for: id) == nil)
        }
    }
}

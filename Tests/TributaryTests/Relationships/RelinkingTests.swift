import TestSupport
import Testing
import Tributary

/// Pairs that two contexts link and unlink: the last word of each context is what its save does.
struct RelinkingTests {
    let fixture: LinkFixture

    init() async throws { fixture = try await LinkFixture("relinking") }

    @Test(arguments: [true, false])
    func linksThatOthersHaveChangedMeanwhileCanBeChangedBack(_ isLinked: Bool) async throws {
        try await fixture.container.performBackgroundTask { context in
            try fixture.link(context, !isLinked)
            try context.save()
        }
        let background = fixture.container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { context in
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = true
            try fixture.link(context, isLinked)
        }
        try await fixture.container.performBackgroundTask { context in
            try fixture.link(context, isLinked)
            try context.save()
        }
        try await background.perform { context in
            #expect(try fixture.linked(context) == isLinked)
            try fixture.link(context, !isLinked)
            #expect(try fixture.linked(context) == !isLinked)
            try context.save()
            #expect(try fixture.linked(context) == !isLinked)
        }
        let stored = try await fixture.container.performBackgroundTask { try fixture.linked($0) }
        #expect(stored == !isLinked)
    }
}

import Testing
import Tributary

/// A conflict on save under each policy.
@Suite struct ConflictExampleTests {
    @Test(arguments: [
        (MergePolicy.objectTrump, ["Bern", "Roma"]),
        (.storeTrump, ["Rome", "Roma"]),
        (.overwrite, ["Bern", "A"]),
        (.rollback, ["Rome", "Roma"]),
    ])
    func isDecidedByThePolicy(_ policy: MergePolicy, _ expected: [String?]) async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        #expect(try await conflict(under: policy, over: ids[0], in: store.container) == expected)
        try await store.container.close()
    }

    @Test func isThrownUnderThePolicyError() async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        let thrown = await #expect(throws: ConflictError.self) {
            try await conflict(under: .error, over: ids[0], in: store.container)
        }
        let found = try #require(thrown?.conflicts.first)
        #expect(found.objectID == ids[0])
        #expect(found.changedProperties == ["city"])
        #expect(found.changedInStore == ["city", "name"])
        #expect(found.stored?["city"] == .string("Rome"))
        try await store.container.close()
    }
}

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

    @Test(arguments: [("Aarebank", "Aare", "Aarebank"), ("Aare", "Aarebank", "Aarebank")])
    func isDecidedByAPolicyOfOnesOwn(_ here: String, _ there: String, _ expected: String) async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        let name = try await rename(ids[0], to: here, in: store.container) {
            try await store.container.performBackgroundTask { context in
                context.object(with: ids[0], as: Company.self)?.name = there
                try context.save()
            }
        }
        #expect(name == expected)
        let stored = await store.container.performBackgroundTask { context in
            context.object(with: ids[0], as: Company.self)?.name
        }
        #expect(stored == expected)
        try await store.container.close()
    }

    @Test func everyPolicyIsShown() {
        // Four of them are the arguments above; `error` has a test of its own.
        #expect(Set(MergePolicy.allCases) == [.objectTrump, .storeTrump, .overwrite, .rollback, .error])
    }
}

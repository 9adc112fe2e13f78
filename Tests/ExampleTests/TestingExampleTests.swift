import Testing
import Tributary

/// The pattern that users' own tests follow.
@Suite struct TestingExampleTests {
    @Test @MainActor func needsNoSleep() async throws {
        let names = try await namesAfterHiring(["Cleo", "Ann", "Bob"], model: ExampleStore.model)
        #expect(names == ["Ann", "Bob", "Cleo"])
    }
}

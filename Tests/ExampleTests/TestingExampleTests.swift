import Testing
import Tributary

/// The pattern that users' own tests follow.
@Suite struct TestingExampleTests {
    @Test @MainActor func needsNoSleep() async throws {
        let started = ContinuousClock.now
        let names = try await namesAfterHiring(["Cleo", "Ann", "Bob"], model: ExampleStore.model)
        #expect(names == ["Ann", "Bob", "Cleo"])
        #expect(ContinuousClock.now - started < MergeOptions().ceiling, "the timer was cut short")
    }
}

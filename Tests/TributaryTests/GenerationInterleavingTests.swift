import TestSupport
import Testing
import Tributary
import TributaryStore

/// Random interleavings of saves, merges, fetches, faults, IDs that are handed over, pins and checkpoints on the view
/// context, a background context, a pinned one, children, and a second container on the same file, against a model.
struct GenerationInterleavingTests {
    @Test
    func contextsOfOneContainerShowWhatTheModelSays() async throws {
        try await run(interleavings: 150, steps: 40, hasSecondContainer: false)
    }

    @Test
    func twoContainersOnOneFileShowWhatTheModelSays() async throws {
        try await run(interleavings: 80, steps: 40, hasSecondContainer: true)
    }

    private func run(interleavings: Int, steps: Int, hasSecondContainer: Bool) async throws {
        var random = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(random.seed)")
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<interleavings where start.duration(to: clock.now) < .seconds(25) {
            let run = try await InterleavingRun(hasSecondContainer: hasSecondContainer)
            for step in 0..<steps {
                if let failure = try await run.step(&random) {
                    let log = await run.log.suffix(25).joined(separator: "\n")
                    Issue.record("seed \(random.seed), interleaving \(number), step \(step): \(failure)\n\(log)")
                    return
                }
            }
            try await run.close()
        }
    }
}

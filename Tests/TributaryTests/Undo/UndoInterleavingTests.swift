import TestSupport
import Testing
import Tributary

/// Random undos and redos across merges, refreshes and saves, of contexts that edit few objects together.
@MainActor
struct UndoInterleavingTests {
    @Test func undoChangesWhatTheContextHasChangedAndNothingElse() async throws {
        try await play(SeededGenerator.printingSeed(), rounds: LongProofs.rounds(12))
    }

    /// Seeds that have failed.
    ///
    /// In the first run a fault of a deleted object was a target again. In the others a link that others had made as well
    /// outlived the deletion of its object.
    @Test(arguments: [4_046_679_793, 1, 3] as [UInt64])
    func interleavingsThatHaveFailedEndAsTheyShould(seed: UInt64) async throws {
        try await play(SeededGenerator(seed: seed), rounds: 0..<12)
    }

    private func play(_ generator: SeededGenerator, rounds: some Sequence<Int>) async throws {
        var random = generator
        for number in rounds {
            let start = random
            let run = try await LibraryRun(&random)
            var steps: [LibraryRun.Step] = []
            var failure: String?
            while steps.count < 60, failure == nil {
                steps.append(.random(&random))
                failure = try await run.take(steps[steps.count - 1])
            }
            try await run.close()
            guard failure != nil else { continue }
            let (least, log) = try await minimum(steps, from: start)
            Issue.record("seed \(random.seed), interleaving \(number): \(least)\n\(log.joined(separator: "\n"))")
            return
        }
    }

    /// Leaves out the steps that the failure does not need; O(n log n) plays for each pass.
    private func minimum(
        _ steps: [LibraryRun.Step],
        from start: SeededGenerator
    ) async throws -> (failure: String, log: [String]) {
        var steps = steps
        var last = try await play(steps, from: start)
        var size = steps.count / 2
        while size > 0 {
            var (index, isSmaller) = (0, false)
            while index < steps.count {
                var fewer = steps
                fewer.removeSubrange(index..<min(index + size, steps.count))
                let played = try await play(fewer, from: start)
                if played.failure.isEmpty {
                    index += size
                } else {
                    (steps, last, isSmaller) = (fewer, played, true)
                }
            }
            if size > 1 || !isSmaller { size /= 2 }
        }
        return last
    }

    private func play(
        _ steps: [LibraryRun.Step],
        from start: SeededGenerator
    ) async throws -> (failure: String, log: [String]) {
        var random = start
        let run = try await LibraryRun(&random)
        var failure: String?
        for step in steps where failure == nil { failure = try await run.take(step) }
        try? await run.close()
        return (failure ?? "", run.log)
    }
}

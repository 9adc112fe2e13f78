import TestSupport
import Testing
import Tributary

/// Random interleavings of saves, merges, fetches, faults, IDs that are handed over, pins and checkpoints on the view
/// context, a background context, a pinned one, children, and a second container on the same file, against a model.
///
/// How many there are is fixed; `TRIBUTARY_LONG_PROOFS` takes many more.
struct GenerationInterleavingTests {
    @Test func contextsOfOneContainerShowWhatTheModelSays() async throws {
        try await run(interleavings: LongProofs.rounds(12), steps: 40, hasSecondContainer: false)
    }

    @Test func twoContainersOnOneFileShowWhatTheModelSays() async throws {
        try await run(interleavings: LongProofs.rounds(8), steps: 40, hasSecondContainer: true)
    }

    @Test(.enabled(if: LongProofs.isOn, "with TRIBUTARY_LONG_PROOFS"))
    func relationshipsOfOneContainerAreWhatTheModelSays() async throws {
        try await runGraphs(interleavings: LongProofs.rounds(8), hasSecondContainer: false)
    }

    @Test(.enabled(if: LongProofs.isOn, "with TRIBUTARY_LONG_PROOFS"))
    func relationshipsOfTwoContainersAreWhatTheModelSays() async throws {
        try await runGraphs(interleavings: LongProofs.rounds(6), hasSecondContainer: true)
    }

    private func run(interleavings: LongProofs, steps: Int, hasSecondContainer: Bool) async throws {
        try await interleave(interleavings, steps: steps) { random in
            try await InterleavingRun(hasSecondContainer: hasSecondContainer, seed: random.next())
        }
    }

    private func runGraphs(interleavings: LongProofs, hasSecondContainer: Bool) async throws {
        try await interleave(interleavings, steps: 50) { random in
            let rules = GraphModel.Rules(&random)
            return try await GraphRun(rules: rules, hasSecondContainer: hasSecondContainer, seed: random.next())
        }
    }

    private func interleave(
        _ interleavings: LongProofs,
        steps: Int,
        _ make: (inout SeededGenerator) async throws -> any RandomRun
    ) async throws {
        var random = SeededGenerator.printingSeed()
        for number in interleavings {
            let run = try await make(&random)
            for step in 0..<steps {
                if let failure = try await run.step(&random) {
                    let log = await run.log.joined(separator: "\n")
                    Issue.record("seed \(random.seed), interleaving \(number), step \(step): \(failure)\n\(log)")
                    return
                }
            }
            try await run.close()
        }
    }
}

/// Contexts that take one random step after another, and the model that they are held against.
protocol RandomRun: Actor {
    var log: [String] { get }

    /// Takes a step; returns what is wrong after it.
    func step(_ random: inout SeededGenerator) async throws -> String?
    func close() async throws
}

extension GraphModel.Rules {
    /// Nullify in half of the cases.
    fileprivate init(_ random: inout SeededGenerator) {
        self.init()
        guard Bool.random(using: &random) else { return }
        employees = DeleteRule.allCases.randomElement(using: &random) ?? .nullify
        members = DeleteRule.allCases.randomElement(using: &random) ?? .nullify
        if Int.random(in: 0..<3, using: &random) == 0 { projects = .cascade }
    }
}

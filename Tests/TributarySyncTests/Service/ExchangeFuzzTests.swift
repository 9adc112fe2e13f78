import TestSupport
import Testing

/// Replicas that exchange random histories over a folder end with equal digests and rows.
@Suite(.timeLimit(.minutes(60)), .watcherTurns) struct ExchangeFuzzTests {
    @Test func replicasThatExchangeRandomHistoriesEndEqual() async {
        let first = SeededGenerator.fromEnvironment().seed
        print("seed \(first)")
        for round in LongProofs.rounds(6) {
            let seed = first &+ UInt64(round)
            do {
                try await ExchangeFuzz.run(seed: seed)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
}

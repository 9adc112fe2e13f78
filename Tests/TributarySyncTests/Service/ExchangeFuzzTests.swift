import TestSupport
import Testing

/// Replicas that exchange random histories over a folder end with equal digests and rows.
@Suite(.timeLimit(.minutes(60)), .watcherTurns) struct ExchangeFuzzTests {
    @Test func replicasThatExchangeRandomHistoriesEndEqual() async {
        let first = SeededGenerator.fromEnvironment().seed
        print("seed \(first)")
        for seed in (0..<UInt64(LongProofs.count(6, long: 80))).map({ first &+ $0 }) {
            do {
                try await ExchangeFuzz.run(seed: seed)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
}

import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// Daemons that exchange random histories, some of which get the larger model late, have equal states at the end.
@Suite(.timeLimit(.minutes(60)), .daemonTurns) struct ExchangeFuzzTests {
    @Test func daemonsThatExchangeRandomHistoriesEndEqual() async throws {
        let first = SeededGenerator.printingSeed().seed
        for round in LongProofs.rounds(2) {
            let seed = first &+ UInt64(round)
            let world = try DaemonExchange(seed: seed)
            try await world.play()
            let states = try await world.states()
            for (index, state) in states.enumerated().dropFirst() {
                #expect(state.rows == states[0].rows, "seed \(seed): the rows of daemons 0 and \(index) differ")
                #expect(state.digest == states[0].digest, "seed \(seed): the digests of daemons 0 and \(index) differ")
            }
            await world.stop()
        }
    }
}

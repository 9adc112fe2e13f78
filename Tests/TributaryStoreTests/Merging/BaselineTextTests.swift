import StoreTestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// The lines of a baseline, when something keeps them from being written to the end.
@Suite struct BaselineTextTests {
    private struct Full: Error {}

    /// A full disk or a request to stop ends the work at any line, and while the changes are sorted; the next attempt
    /// writes all lines.
    @Test func aFailureEndsTheWorkAndNothingElse() throws {
        let replica = try Replica()
        for number in 1...2_100 { _ = try replica.commit(.insert("Person", number, ["name": "Ann"])) }
        var lines = 0
        let counts = try replica.store.read { try $0.baseline.forEachLine { _ in lines += 1 } }
        #expect(counts.changes == 2_100 && lines > 2)
        for last in [0, 1, 2, lines - 1] {
            var written = 0
            #expect(throws: Full.self) {
                try replica.store.read { reader in
                    try reader.baseline.forEachLine { _ in
                        if written == last { throw Full() }
                        written += 1
                    }
                }
            }
        }
        #expect(throws: CancellationError.self) {
            try replica.store.read { reader in
                try reader.baseline.forEachLine(progress: { _ in throw CancellationError() }, { _ in })
            }
        }
        var again = 0
        #expect(try replica.store.read { try $0.baseline.forEachLine { _ in again += 1 } } == counts)
        #expect(again == lines)
    }
}

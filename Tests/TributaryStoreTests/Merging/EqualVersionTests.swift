import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// Transactions of two clones of one writer can have equal versions.
@Suite struct EqualVersionTests {
    @Test func `an insert and a deletion of one version end in one state, whichever comes first`() throws {
        let changes: [[Change]] = [
            [.insert("Tag", 41, ["isOn": .boolean(true)])], [.delete("Tag", 41)],
        ]
        let stores = try [changes, changes.reversed()].map { order in
            let replica = try Replica()
            for (index, changes) in order.enumerated() {
                try replica.apply(ForeignTransaction(1, UInt64(index + 1), clock: 7, changes))
            }
            return replica
        }
        #expect(try stores[0].dump() == stores[1].dump())
        #expect(try stores[0].values("Tag", .sample(41))?["isOn"] == .boolean(true))
    }
}

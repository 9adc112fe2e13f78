import StoreTestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A baseline that no store has made: others can write to the log folder.
@Suite struct BaselineJoinTests {
    private static func model() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  Person:
                    attributes:
                      name: String?
                      best: {type: Integer 64, optional: true, merge: max}
                      visits: {type: Integer 64, optional: true, merge: counter}
                    relationships:
                      friend: {to: Person?}
                """
        )
    }

    /// A bound has no version, so it would be a write of the joining store, and each store would have another one.
    @Test(arguments: [("best", true), ("unknown", true), ("name", false), ("visits", false), ("friend", false)])
    func boundsAreOfPropertiesThatHaveOne(property: String, isJoined: Bool) throws {
        let replica = try Replica(Self.model())
        let first = ForeignTransaction(1, 1, clock: 1, .insert("Person", 1))
        let write = PropertyWrite(name: property, value: .integer(7))
        let id = try #require(first.changes.first).id
        func join() throws {
            let writer = BaselineWriter(id: first.writer, sequence: 1, clock: first.header.clock, seen: [:])
            let bound = BaselineBound(entity: "Person", id: id, write: write)
            try replica.join(writer, transactions: 0, [.bound(bound)])
        }
        guard !isJoined else { return try join() }
        #expect(throws: BaselineJoinError.noBound(entity: "Person", property: property)) { try join() }
        #expect(try replica.store.read { try $0.mergeState.digest().vector.isEmpty })
    }
}

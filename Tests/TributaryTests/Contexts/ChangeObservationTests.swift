import Testing

@testable import Tributary

/// What observers of a context are told, and what is not kept for them.
@Suite struct ChangeObservationTests {
    private let id = ManagedObjectID("Employee", UniqueID(high: 1, low: 2), store: "s")

    @Test func nothingIsKeptWhileNobodyObserves() {
        let observation = ChangeObservation(isScheduled: false)
        observation.record { $0.addUpdate(of: id) }
        var notices: [ObjectsDidChange] = []
        _ = observation.changes.add { notices.append($0) }
        observation.notifyOfChanges(maximumRounds: 10) {}
        #expect(notices.isEmpty)
        observation.record { $0.addUpdate(of: id) }
        observation.notifyOfChanges(maximumRounds: 10) {}
        #expect(notices.map(\.updated) == [[id]])
    }

    @Test func aCancelledObserverAndDiscardedChangesAreSilent() {
        let observation = ChangeObservation(isScheduled: false)
        var count = 0
        let token = observation.changes.add { _ in count += 1 }
        observation.record { $0.addDeletion(of: id) }
        observation.discardPending()
        observation.notifyOfChanges(maximumRounds: 10) {}
        token.cancel()
        observation.record { $0.addDeletion(of: id) }
        observation.notifyOfChanges(maximumRounds: 10) {}
        #expect(count == 0)
    }

    @Test func anInsertionThatIsDeletedAgainIsNoChange() {
        var notice = ObjectsDidChange()
        notice.inserted.insert(id)
        notice.addUpdate(of: id)
        #expect(notice.updated.isEmpty, "an inserted object is not updated as well")
        notice.addDeletion(of: id)
        #expect(notice.isEmpty)
        notice.addUpdate(of: id)
        notice.addDeletion(of: id)
        notice.addUpdate(of: id)
        #expect(notice.deleted == [id] && notice.updated.isEmpty)
    }

    @Test func aRefusedWriteIsReportedOnce() {
        var writes = RefusedWrites()
        for number in 0..<RefusedWrites.limit + 10 {
            let failure = ValidationFailure(objectID: id, property: "p\(number / 2)", rule: .gone, message: "was set")
            writes.add(failure)
        }
        #expect(writes.failures.count == RefusedWrites.limit / 2 + 5)
        for number in 0..<RefusedWrites.limit {
            writes.add(ValidationFailure(objectID: id, property: "q\(number)", rule: .gone, message: "was set"))
        }
        #expect(writes.failures.count == RefusedWrites.limit)
    }
}

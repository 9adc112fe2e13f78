import Testing

@testable import TributarySync

/// The table of the service's behaviour in each phase.
@Suite struct ServiceLifecycleTests {
    private typealias Lifecycle = ServiceLifecycle<Int, Int>
    private static let phases: [Lifecycle.Phase] = [.idle, .running, .stopping, .ended]

    private func lifecycle(_ phase: Lifecycle.Phase) -> Lifecycle {
        var lifecycle = Lifecycle()
        switch phase {
        case .idle: break
        case .running: _ = lifecycle.begin()
        case .stopping: _ = lifecycle.stop()
        case .ended: _ = lifecycle.end()
        }
        return lifecycle
    }

    @Test func eachPhaseAllowsWhatTheTableSays() {
        // The columns: whether the phase begins, accepts a request and accepts a starter, and the phases after a begin,
        // a stop and an end.
        let table: [(Lifecycle.Phase, Bool, Bool, Bool, [Lifecycle.Phase])] = [
            (.idle, true, false, true, [.running, .stopping, .ended]),
            (.running, false, true, true, [.running, .stopping, .ended]),
            (.stopping, false, false, false, [.stopping, .stopping, .ended]),
            (.ended, false, false, false, [.ended, .ended, .ended]),
        ]
        #expect(table.map(\.0) == Self.phases)
        for (phase, begins, takesRequest, takesStarter, after) in table {
            var begun = lifecycle(phase)
            #expect(begun.phase == phase)
            let hasBegun = begun.begin()
            #expect(hasBegun == begins)
            var asked = lifecycle(phase)
            let (hasRequest, hasStarter) = (asked.addRequest(1), asked.addStarter(1))
            #expect(hasRequest == takesRequest && asked.requestCount == (takesRequest ? 1 : 0))
            #expect(hasStarter == takesStarter)
            var (stopped, ended) = (lifecycle(phase), lifecycle(phase))
            _ = stopped.stop()
            _ = ended.end()
            #expect([begun.phase, stopped.phase, ended.phase] == after, "\(phase)")
            #expect(lifecycle(phase).isStopping == (phase == .stopping || phase == .ended))
        }
    }

    @Test func whoeverWaitsIsReturnedOnce() {
        var lifecycle = lifecycle(.running)
        for number in 1...3 { _ = lifecycle.addRequest(number) }
        let removed = (0..<3).map { _ in lifecycle.removeRequests(2) }
        #expect(removed == [[1, 2], [3], []])
        for number in 7...8 { _ = lifecycle.addStarter(number) }
        let started = lifecycle.folderWasScanned()
        #expect(started == [7, 8] && lifecycle.isWatching)
        let waits = lifecycle.addStarter(9)
        #expect(!waits, "there is nothing to wait for")
        let stopped = lifecycle.stop()
        #expect(stopped == [])
    }

    @Test func theRequestsOfACutPassWaitForTheEnd() {
        var lifecycle = lifecycle(.running)
        for number in 1...3 { _ = lifecycle.addRequest(number) }
        let done = lifecycle.removeRequests(1)
        _ = lifecycle.stop()
        let cut = lifecycle.removeRequests(2)
        let ended = lifecycle.end()
        #expect(done == [1] && cut.isEmpty && ended.requests == [2, 3])
    }

    @Test func stoppingEndsTheWaitForTheStartAndEndingAllWaits() {
        var stopped = lifecycle(.running)
        _ = stopped.addRequest(1)
        _ = stopped.addStarter(2)
        let starters = stopped.stop()
        #expect(starters == [2])
        let rest = stopped.end()
        #expect(rest.requests == [1] && rest.starters == [])
        var abandoned = lifecycle(.idle)
        _ = abandoned.addStarter(3)
        let left = abandoned.end()
        #expect(left.starters == [3] && left.requests == [])
    }
}

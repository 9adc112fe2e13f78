import Testing

@testable import TributaryDaemon

@Suite struct StopScheduleTests {
    @Test(arguments: [Duration.milliseconds(1), .seconds(2), .seconds(5), .seconds(85)])
    func rollsBackAtTheTimeoutAndLeavesSoonAfter(_ timeout: Duration) {
        let schedule = StopSchedule(timeout: timeout)
        let end = timeout + schedule.grace
        #expect(schedule.action(at: .zero, hasRolledBack: false) == .wait(until: timeout))
        #expect(schedule.action(at: timeout, hasRolledBack: false) == .rollBack)
        #expect(schedule.action(at: timeout, hasRolledBack: true) == .wait(until: end))
        #expect(schedule.action(at: end, hasRolledBack: true) == .leave)
        // A queue that runs late skips the rollback.
        #expect(schedule.action(at: end, hasRolledBack: false) == .leave)
    }

    @Test func theDefaultEndsBeforeTheUnitDoes() {
        let schedule = StopSchedule(timeout: .seconds(85))
        #expect(schedule.timeout + schedule.grace < .seconds(90))
    }

    @Test func theWatchdogIsNotifiedOfAHangInAnyWork() {
        let limit = Duration.seconds(60)
        func isAlive(_ main: Bool, _ silences: [Duration?]) -> Bool {
            WatchdogService.isAlive(isMainActorResponsive: main, silences: silences, limit: limit)
        }
        #expect(isAlive(true, []))
        #expect(isAlive(true, [nil, nil]))
        #expect(isAlive(true, [.seconds(59), .zero]))
        #expect(!isAlive(false, [nil, nil]))
        #expect(!isAlive(true, [.seconds(60), nil]))
        #expect(!isAlive(true, [nil, .seconds(61)]))
    }
}

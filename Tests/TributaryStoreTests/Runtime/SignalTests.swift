import TestSupport
import Testing

@testable import TributaryStore

@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    @Test func raisingItTwiceBeforeAWaitEndsOneWait() async {
        let signal = Signal()
        let clock = ManualClock()
        signal.raise()
        signal.raise()
        await signal.wait()
        let second = Task { await signal.wait(until: .seconds(5), on: MonotonicClock(clock)) }
        await clock.waitForSleeper(until: .seconds(5))
        clock.advance(by: .seconds(5))
        await second.value
        #expect(clock.sleeperCount == 0, "the second wait ended at its deadline")
    }

    @Test func raisingItEndsAWaitBeforeItsDeadline() async {
        let signal = Signal()
        let clock = ManualClock()
        let wait = Task { await signal.wait(until: .seconds(5), on: MonotonicClock(clock)) }
        await clock.waitForSleeper(until: .seconds(5))
        signal.raise()
        await wait.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func aDeadlineThatIsOverDoesNotWaitAndKeepsTheSignal() async {
        let signal = Signal()
        signal.raise()
        await signal.wait(until: .zero, on: MonotonicClock(ManualClock()))
        await signal.wait()
    }

    @Test func cancellingEndsAWait() async {
        let wait = Task { await Signal().wait() }
        wait.cancel()
        await wait.value
    }

    @Test func noTimerIsLongerThanADay() async {
        let signal = Signal()
        let clock = ManualClock()
        let wait = Task { await signal.wait(until: .seconds(1e15), on: MonotonicClock(clock)) }
        await clock.waitForSleeper(until: .seconds(86_400))
        clock.advance(by: .seconds(86_400))
        await wait.value
        #expect(clock.sleeperCount == 0)
    }

    /// A sleep that is cancelled leaves its timer until its end, so that a long one has parts.
    @Test func aLongSleepHasParts() async {
        let clock = ManualClock()
        let wait = Task { await MonotonicClock(clock, parts: .seconds(10)).sleep(.seconds(25)) }
        for end in [10, 20, 25] {
            await clock.waitForSleeper(until: .seconds(end))
            clock.advance(to: .seconds(end))
        }
        await wait.value
        #expect(clock.sleeperCount == 0)
    }
}

import Testing
import TributaryChanges

@testable import TributarySync

/// How long a store usually pauses, and when its silence is longer than that.
@Suite struct WriterHabitsTests {
    private static let store = UniqueID(high: 1, low: 1)
    private static let hour: UInt64 = 3_600_000
    private static let day = 24 * hour

    private func habits(at times: some Sequence<UInt64>) -> WriterHabits {
        var habits = WriterHabits()
        for time in times { habits.add(WallTime(milliseconds: time), of: Self.store, at: WallTime(milliseconds: time)) }
        return habits
    }

    private func isSilent(_ habits: WriterHabits, at time: UInt64) -> Bool {
        !habits.silences(at: WallTime(milliseconds: time)).isEmpty
    }

    @Test func aSensorIsSilentAfterTenOfItsPausesAndAnHour() {
        // Every 20 s: ten pauses are less than an hour.
        let sensor = habits(at: (0...2_000).map { $0 * 20_000 })
        let last: UInt64 = 2_000 * 20_000
        #expect(!isSilent(sensor, at: last + Self.hour))
        #expect(isSilent(sensor, at: last + Self.hour + 1))
        // Every 30 minutes: five hours.
        let slow = habits(at: (0...40).map { $0 * Self.hour / 2 })
        #expect(!isSilent(slow, at: 20 * Self.hour + 5 * Self.hour))
        let silence = slow.silences(at: WallTime(milliseconds: 26 * Self.hour))
        #expect(silence.map(\.usualPause) == [.seconds(1_800)])
        #expect(silence.map(\.since) == [WallTime(milliseconds: 20 * Self.hour)])
    }

    /// A till that is used from 8 to 18 on five days a week, every minute.
    private func till(weeks: UInt64) -> [UInt64] {
        var times: [UInt64] = []
        for day in 0..<7 * weeks where day % 7 < 5 {
            let morning = day * Self.day + 8 * Self.hour
            for minute: UInt64 in 0..<600 { times.append(morning + minute * 60_000) }
        }
        return times
    }

    @Test func nightsAndWeekendsAreHabits() {
        let till = habits(at: till(weeks: 3))
        let friday = (14 + 4) * Self.day + 18 * Self.hour
        // A weekend and the night before are 62 hours.
        for days: UInt64 in 1...25 { #expect(!isSilent(till, at: friday + days * Self.day), "\(days) days") }
        #expect(isSilent(till, at: friday + 27 * Self.day))
    }

    @Test func anOutageThatHasEndedIsNoHabit() {
        let before: [UInt64] = Array(0...100)
        // Twenty days later, and again every hour for a week.
        let after: [UInt64] = Array(580...748)
        let store = habits(at: (before + after).map { $0 * Self.hour })
        #expect(!isSilent(store, at: 748 * Self.hour + 10 * Self.hour))
        #expect(isSilent(store, at: 748 * Self.hour + 11 * Self.hour))
    }

    @Test func littleThatIsKnownIsNoHabit() {
        // Few transactions, or many within a short time, such as a first import.
        #expect(!isSilent(habits(at: (0...7).map { $0 * Self.hour }), at: 1_000 * Self.day))
        // Two transactions of one time are no pause.
        #expect(!isSilent(habits(at: [0, 1, 2, 3, 4, 5, 6, 7, 7].map { $0 * Self.hour }), at: 1_000 * Self.day))
        #expect(!isSilent(habits(at: (0...5_000).map { $0 * 1_000 }), at: 1_000 * Self.day))
        #expect(!isSilent(habits(at: []), at: 1_000 * Self.day))
    }

    @Test func hostileClocksDoNotTrap() {
        let extremes: [UInt64] = [.max, 0, .max, 1, .max - 1, 5]
        let hours: [UInt64] = (0...20).map { $0 * Self.hour }
        let store = habits(at: extremes + hours + [.max])
        #expect(!isSilent(store, at: .max))
        #expect(!isSilent(store, at: 0))
        let late = habits(at: hours + [.max])
        #expect(!isSilent(late, at: .max))
    }

    @Test func aClockThatWasAheadHidesNoSilence() {
        var store = habits(at: (0...40).map { $0 * Self.hour })
        let wall = WallTime(milliseconds: 41 * Self.hour)
        store.add(WallTime(milliseconds: 3_650 * Self.day), of: Self.store, at: wall)
        #expect(!isSilent(store, at: 50 * Self.hour))
        #expect(isSilent(store, at: 53 * Self.hour))
    }

    @Test func theNumberOfStoresIsBounded() {
        var habits = WriterHabits()
        for number in 0..<UInt64(WriterHabits.limit + 100) {
            for time in 0...20 as ClosedRange<UInt64> {
                let time = WallTime(milliseconds: time * Self.hour)
                habits.add(time, of: UniqueID(high: 2, low: number), at: time)
            }
        }
        #expect(habits.silences(at: WallTime(milliseconds: 1_000 * Self.day)).count == WriterHabits.limit)
    }
}

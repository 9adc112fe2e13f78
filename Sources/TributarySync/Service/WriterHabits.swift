package import TributaryChanges

/// Finds stores that are silent for much longer than they usually pause between two transactions.
///
/// A till pauses for days at weekends, a sensor for seconds. The usual pause is the longest pause of the last 14 days with
/// transactions. With four days or more, the day with the longest pause is left out: a single outage is not a habit, but
/// two weekends are. Costs at most 300 bytes for each store.
package struct WriterHabits: Sendable {
    private struct Habit {
        var first: WallTime
        var last: WallTime
        var pauses = 0
        /// The longest pauses of the last days, the newest day last.
        var days: [(day: UInt64, longest: Duration)] = []

        init(at time: WallTime) { (first, last) = (time, time) }

        mutating func add(_ time: WallTime) {
            // Older transactions of the store's former writers may follow.
            guard time > last else { return }
            let pause = time.duration(since: last)
            last = time
            pauses += 1
            let day = time.milliseconds / 86_400_000
            if let newest = days.indices.last, days[newest].day == day {
                days[newest].longest = max(days[newest].longest, pause)
            } else {
                if days.count == WriterHabits.days { days.removeFirst() }
                days.append((day, pause))
            }
        }

        var usualPause: Duration? {
            guard pauses >= WriterHabits.leastPauses, last.duration(since: first) >= WriterHabits.leastTime else {
                return nil
            }
            let longest = days.map(\.longest).sorted()
            return longest.count >= 4 ? longest[longest.count - 2] : longest.last
        }
    }

    package struct Silence: Sendable, Hashable {
        package var store: UniqueID
        package var since: WallTime
        package var usualPause: Duration
    }

    static let days = 14
    /// A habit needs this number of pauses, and this time between the first and the last transaction.
    static let leastPauses = 8
    static let leastTime = Duration.seconds(6 * 3_600)
    /// A silence is longer than this, and longer than `factor` times the longest usual pause.
    static let leastSilence = Duration.seconds(3_600)
    static let factor = 10
    /// Further stores are not observed.
    static let limit = 4_096

    private var habits: [UniqueID: Habit] = [:]

    package init() {}

    /// A time that is ahead of the wall clock is treated as now.
    package mutating func add(_ time: WallTime, of store: UniqueID, at wall: WallTime) {
        let time = min(time, wall)
        if habits[store] != nil {
            habits[store]?.add(time)
        } else if habits.count < WriterHabits.limit {
            habits[store] = Habit(at: time)
        }
    }

    package func silences(at wall: WallTime) -> [Silence] {
        habits.compactMap { store, habit in
            guard let usual = habit.usualPause else { return nil }
            let silence = wall.duration(since: habit.last)
            guard silence > max(WriterHabits.leastSilence, usual * WriterHabits.factor) else { return nil }
            return Silence(store: store, since: habit.last, usualPause: usual)
        }
        .sorted { ($0.since, $0.store) < ($1.since, $1.store) }
    }
}

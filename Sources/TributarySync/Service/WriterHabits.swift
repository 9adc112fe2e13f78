package import TributaryChanges

/// Learns how long each store usually pauses between its transactions, and tells which ones are silent for much longer.
///
/// A till that is switched off at night and at weekends pauses for days, a sensor for seconds. So what counts is the longest
/// pause of each day: the habit is the longest of the last 14 days with transactions. Of four days or more, the one with the
/// longest pause is left out: an outage that has ended is no habit. Two weekends within the 14 days are one.
///
/// Costs at most 300 bytes for each store, and O(1) for each transaction.
package struct WriterHabits: Sendable {
    private struct Habit {
        var first: WallTime
        var last: WallTime
        var pauses = 0
        /// The longest pauses of the last days, the newest day last.
        var days: [(day: UInt64, longest: Duration)] = []

        init(at time: WallTime) { (first, last) = (time, time) }

        mutating func add(_ time: WallTime) {
            // Clocks of a store grow; those of its former writers may come later.
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

        /// The longest usual pause; nil while too little is known to say.
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
    /// The numbers of pauses, and the time between the first and the last transaction, from which a habit is known.
    static let leastPauses = 8
    static let leastTime = Duration.seconds(6 * 3_600)
    /// A silence is longer than this, and than so many times the longest usual pause.
    static let leastSilence = Duration.seconds(3_600)
    static let factor = 10
    /// Further stores are not observed.
    static let limit = 4_096

    private var habits: [UniqueID: Habit] = [:]

    package init() {}

    /// A time that is ahead of the wall clock is taken as now.
    package mutating func add(_ time: WallTime, of store: UniqueID, at wall: WallTime) {
        let time = min(time, wall)
        if habits[store] != nil {
            habits[store]?.add(time)
        } else if habits.count < WriterHabits.limit {
            habits[store] = Habit(at: time)
        }
    }

    /// The stores that are silent at a time for longer than is their habit, the longest silent one first.
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

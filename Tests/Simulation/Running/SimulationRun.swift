import Synchronization

/// Plays schedules with successive seeds until one ends wrong.
package struct SimulationRun<Schedule: PlayableSchedule>: Sendable {
    package struct Result: Sendable, CustomStringConvertible {
        package var played = 0
        package var duration = Duration.zero
        /// The least seed whose schedule ended wrong.
        package var failing: UInt64?
        package var failure: String?

        package var description: String {
            let seconds = max(duration / .seconds(1), 0.001)
            let rate = (Double(played) / seconds * 10).rounded() / 10
            let summary = "\(played) schedules in \(Int(seconds.rounded())) s, \(rate) schedules per second"
            return failing.map { "\(summary); seed \($0) ends wrong" } ?? summary
        }
    }

    private let first: UInt64
    private let count: Int
    private let limit: Duration
    private let workers: Int

    /// Creates a run.
    package init(first: UInt64, count: Int, limit: Duration, workers: Int) {
        self.first = first
        self.count = count
        self.limit = limit
        self.workers = workers
    }

    /// The number of the next schedule, and what has been played.
    private final class Progress: Sendable {
        private let next = Atomic(0)
        private let result = Mutex(Result())

        func nextIndex() -> Int { next.add(1, ordering: .relaxed).oldValue }

        var current: Result { result.withLock { $0 } }

        func add(_ seed: UInt64, _ failure: String?) {
            result.withLock { result in
                result.played += 1
                guard let failure, seed < result.failing ?? .max else { return }
                (result.failing, result.failure) = (seed, failure)
            }
        }
    }

    package func play() async -> Result {
        let progress = Progress()
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<workers { group.addTask { await work(progress, until: start + limit) } }
        }
        var result = progress.current
        result.duration = ContinuousClock.now - start
        return result
    }

    private func work(_ progress: Progress, until end: ContinuousClock.Instant) async {
        while progress.current.failing == nil, ContinuousClock.now < end {
            let index = progress.nextIndex()
            guard index < count else { return }
            let seed = first &+ UInt64(index)
            progress.add(seed, await ScheduleReport<Schedule>.failure(of: Schedule(seed: seed)))
        }
    }
}

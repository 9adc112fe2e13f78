import CLinux
import Synchronization

package final class ImportControl: Sendable {
    /// A greater order ends a running import sooner.
    package enum Order: Int, Sendable {
        case proceed
        /// The import commits the applied transactions at the next transaction boundary.
        case finish
        case abort
    }

    private let order = Atomic(Order.proceed.rawValue)
    package let work: WorkMeter
    /// How long a caller with the write lock waits for a read of the log folder without progress.
    let patience: Duration

    package init(work: WorkMeter = WorkMeter(), patience: Duration = .seconds(5)) {
        self.work = work
        self.patience = patience
    }

    package var current: Order { Order(rawValue: order.load(ordering: .acquiring)) ?? .abort }

    package func give(_ order: Order) { self.order.store(order.rawValue, ordering: .releasing) }

    package func raise(to order: Order) { self.order.max(order.rawValue, ordering: .acquiringAndReleasing) }

    package var progress: UInt64 { work.steps }

    /// Counts a step, and lets requests that wait for the processor run first.
    package func step() {
        work.step()
        clinux_let_requests_run()
    }
}

/// Work hangs if its last step is long ago; time during which the computer sleeps is ignored.
package final class WorkMeter: Sendable {
    private let depth = Atomic(0)
    private let stepCount = Atomic<UInt64>(0)
    private let latest: Atomic<Int64>
    private let now: @Sendable () -> Duration

    package init(now: @escaping @Sendable () -> Duration = WorkMeter.awakeTime()) {
        self.now = now
        latest = Atomic(WorkMeter.nanoseconds(now()))
    }

    package static func awakeTime() -> @Sendable () -> Duration {
        let start = SuspendingClock.now
        return { start.duration(to: .now) }
    }

    package var steps: UInt64 { stepCount.load(ordering: .relaxed) }

    package var silence: Duration? {
        guard depth.load(ordering: .acquiring) > 0 else { return nil }
        return max(.zero, now() - .nanoseconds(latest.load(ordering: .relaxed)))
    }

    package func begin() {
        latest.store(WorkMeter.nanoseconds(now()), ordering: .relaxed)
        depth.add(1, ordering: .releasing)
    }

    package func end() { depth.subtract(1, ordering: .releasing) }

    package func step() {
        stepCount.add(1, ordering: .relaxed)
        latest.store(WorkMeter.nanoseconds(now()), ordering: .relaxed)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return parts.seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue
            &+ parts.attoseconds / 1_000_000_000
    }
}

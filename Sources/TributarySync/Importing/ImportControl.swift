import CLinux
import Synchronization

/// Tells a running import whether to continue, and others whether it makes progress.
package final class ImportControl: Sendable {
    /// How a running import continues or ends; a greater order ends it sooner.
    package enum Order: Int, Sendable {
        case proceed
        /// The import commits the applied transactions at the next transaction boundary.
        case finish
        /// The import rolls back now.
        case abort
    }

    private let order = Atomic(Order.proceed.rawValue)
    /// Measures all work of the import loop: scanning, verifying, applying and comparing.
    package let work: WorkMeter

    package init(work: WorkMeter = WorkMeter()) {
        self.work = work
    }

    package var current: Order { Order(rawValue: order.load(ordering: .acquiring)) ?? .abort }

    package func give(_ order: Order) { self.order.store(order.rawValue, ordering: .releasing) }

    /// Gives an order unless a greater one stands.
    package func raise(to order: Order) { self.order.max(order.rawValue, ordering: .acquiringAndReleasing) }

    /// A counter that grows while there is progress.
    package var progress: UInt64 { work.steps }

    /// Counts a step, and lets requests that wait for the processor run first.
    package func step() {
        work.step()
        clinux_let_requests_run()
    }
}

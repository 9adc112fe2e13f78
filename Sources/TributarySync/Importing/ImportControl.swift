import CLinux
import Synchronization

/// Tells a running import whether to go on, and others whether it does.
package final class ImportControl: Sendable {
    package enum Order: Int, Sendable {
        case proceed
        /// Commit what is done at the next transaction boundary.
        case finish
        /// Roll back now.
        case abort
    }

    private let order = Atomic(Order.proceed.rawValue)
    /// All that the import loop does: looking at the folder, verifying, applying, comparing.
    package let work: WorkMeter

    package init(work: WorkMeter = WorkMeter()) {
        self.work = work
    }

    package var current: Order { Order(rawValue: order.load(ordering: .acquiring)) ?? .abort }

    package func give(_ order: Order) { self.order.store(order.rawValue, ordering: .releasing) }

    /// Grows while there is progress.
    package var progress: UInt64 { work.steps }

    /// Reads for clients that wait for the processor come first.
    package func step() {
        work.step()
        clinux_let_others_run()
    }
}

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
    private let steps = Atomic<UInt64>(0)

    package init() {}

    package var current: Order { Order(rawValue: order.load(ordering: .acquiring)) ?? .abort }

    package func give(_ order: Order) { self.order.store(order.rawValue, ordering: .releasing) }

    /// Grows while there is progress.
    package var progress: UInt64 { steps.load(ordering: .relaxed) }

    package func step() { steps.add(1, ordering: .relaxed) }
}

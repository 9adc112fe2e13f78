/// The version of a write: the clock and the writer of its transaction, in the order that decides between concurrent
/// writes.
///
/// The changes of one transaction have one version: of two of them the one applied later stands.
package struct Version: Hashable, Comparable, Sendable {
    package let clock: HybridClock
    package let writer: UniqueID

    @inlinable
    package init(clock: HybridClock, writer: UniqueID) {
        self.clock = clock
        self.writer = writer
    }

    /// A version less than that of every write.
    package static let none = Version(clock: .zero, writer: UniqueID(high: 0, low: 0))

    @inlinable
    package static func < (left: Version, right: Version) -> Bool {
        left.clock != right.clock ? left.clock < right.clock : left.writer < right.writer
    }
}

/// The version of a write, which decides between concurrent writes: the clock and the writer of its transaction.
///
/// The changes of one transaction have one version; of two such changes, the one applied later wins.
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

/// The version of a write: whose it is and when, in the order that decides between concurrent writes.
///
/// The store leaves the index out where the order in which it applies the changes of a transaction says the same: of two
/// writes with equal versions the one applied later stands.
package struct Version: Hashable, Comparable, Sendable {
    package let clock: HybridClock
    package let writer: UniqueID
    /// The place of the change in its transaction.
    package let index: Int

    @inlinable
    package init(clock: HybridClock, writer: UniqueID, index: Int = 0) {
        self.clock = clock
        self.writer = writer
        self.index = index
    }

    /// Less than every version of a real write.
    package static let none = Version(clock: .zero, writer: UniqueID(high: 0, low: 0))

    @inlinable
    package static func < (left: Version, right: Version) -> Bool {
        if left.clock != right.clock { return left.clock < right.clock }
        return left.writer != right.writer ? left.writer < right.writer : left.index < right.index
    }
}

/// The version of a write: its clock, its writer and its index, in the order that decides between concurrent writes.
///
/// The store leaves out the index of a write when it applies the changes of the transaction in order: of two writes
/// with equal versions the one applied later stands.
package struct Version: Hashable, Comparable, Sendable {
    package let clock: HybridClock
    package let writer: UniqueID
    package let index: Int

    @inlinable
    package init(clock: HybridClock, writer: UniqueID, index: Int = 0) {
        self.clock = clock
        self.writer = writer
        self.index = index
    }

    /// A version less than that of every write.
    package static let none = Version(clock: .zero, writer: UniqueID(high: 0, low: 0))

    @inlinable
    package static func < (left: Version, right: Version) -> Bool {
        if left.clock != right.clock { return left.clock < right.clock }
        return left.writer != right.writer ? left.writer < right.writer : left.index < right.index
    }
}

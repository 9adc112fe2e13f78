/// The version of a write: whose it is and when, in the order that decides between concurrent writes.
///
/// The changes of one transaction share a version; they are applied in their order, so that of two writes with equal
/// versions the one applied later stands.
package struct Version: Hashable, Comparable, Sendable {
    package let clock: HybridClock
    package let writer: UniqueID

    @inlinable
    package init(clock: HybridClock, writer: UniqueID) {
        self.clock = clock
        self.writer = writer
    }

    /// Less than every version of a real write.
    package static let none = Version(clock: .zero, writer: UniqueID(high: 0, low: 0))

    @inlinable
    package static func < (left: Version, right: Version) -> Bool {
        left.clock != right.clock ? left.clock < right.clock : left.writer < right.writer
    }
}

import TributaryChanges

/// The versions that a local transaction is compared with while it is merged.
///
/// It overwrites or outranks their writes, so its own version must be greater.
struct MetVersions {
    let transaction: Int64
    let own: Int64
    /// The last transaction of the own writer that is published.
    let published: UInt64
    /// The greatest clock of these versions, without those of the store's unpublished transactions, which keep their order
    /// with this one.
    private(set) var greatest = HybridClock.zero

    var basis: ClockBasis { ClockBasis(greatest: greatest, published: published) }

    mutating func insert(_ clock: HybridClock, _ origin: WriteOrigin<Int64>, of number: Int64) {
        guard number != transaction, origin.writer != own || origin.sequence <= published else { return }
        greatest = max(greatest, clock)
    }
}

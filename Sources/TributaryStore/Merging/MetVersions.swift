import TributaryChanges

/// The versions that a local transaction is compared with while it is merged.
///
/// It overwrites or outranks their writes, so its own version must be greater.
struct MetVersions {
    let transaction: Int64
    let own: Int64
    /// The greatest clock of these versions, without those of the store's own writer, which the clock exceeds anyway.
    private(set) var greatest = HybridClock.zero

    mutating func insert(_ clock: HybridClock, _ origin: WriteOrigin<Int64>, of number: Int64) {
        guard number != transaction, origin.writer != own else { return }
        greatest = max(greatest, clock)
    }
}

import TransactionLog

/// Applied segments whose deferred values are still to be logged.
///
/// A search for them visits all deferred writes of the store, so searches take at most a twentieth of the time, however
/// many writes there are.
struct JournaledDeferrals {
    /// The pause after a search, as a multiple of its duration.
    private static let restFactor = 20

    /// The segments that were applied since the last search.
    private(set) var names: Set<SegmentName> = []
    /// The number of the transaction up to which the journal has deferred values.
    private(set) var journaledThrough: Int64 = 0
    private var nextLook = Duration.zero

    /// The time of the next search; nil when there is nothing to look for.
    var due: Duration? { names.isEmpty ? nil : nextLook }

    mutating func insert(_ applied: [SegmentName]) { names.formUnion(applied) }

    /// Records that the journal has the deferred values of the segments.
    ///
    /// - Parameters:
    ///   - journaled: the segments that were looked for.
    ///   - newest: the store's newest transaction at that search; nil while a segment is partly applied, which is
    ///     logged when it is finished.
    mutating func finish(_ journaled: Set<SegmentName>, newest: Int64?) {
        names.subtract(journaled)
        if let newest { journaledThrough = newest }
    }

    /// How long after a look that failed the next one begins.
    private static let retryInterval = Duration.seconds(10)

    /// Puts the next look off by a multiple of the time that this one took.
    mutating func rest(afterLookFrom start: Duration, to end: Duration) {
        nextLook = end + (end - start) * JournaledDeferrals.restFactor
    }

    /// Puts the next look off after one that failed, however fast it did.
    mutating func rest(afterFailureAt end: Duration) { nextLook = end + JournaledDeferrals.retryInterval }
}

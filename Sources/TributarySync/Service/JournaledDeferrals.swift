import TransactionLog

/// Applied segments whose deferred values are still to be logged.
///
/// A look for them visits all that is deferred in the store, so looks take at most a twentieth of the time, however much
/// that is.
struct JournaledDeferrals {
    /// How many times as long as a look took no other one begins.
    private static let restFactor = 20

    /// Segments that were applied since the last look.
    private(set) var names: Set<SegmentName> = []
    /// The number of the transaction up to which the journal has deferred values.
    private(set) var journaledThrough: Int64 = 0
    private var nextLook = Duration.zero

    /// When the next look is due; nil when there is nothing to look for.
    var due: Duration? { names.isEmpty ? nil : nextLook }

    mutating func insert(_ applied: [SegmentName]) { names.formUnion(applied) }

    /// The journal has the deferred values of the segments.
    ///
    /// - Parameters:
    ///   - journaled: the segments that were looked for.
    ///   - newest: the store's newest transaction at that look; nil while a segment is applied in part, which is
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

import Synchronization

/// The last report of deferred writes; it is valid until the store has another transaction.
final class DeferralCache: Sendable {
    private let known = Mutex<(transaction: Int64, report: DeferralReport)?>(nil)

    var last: DeferralReport? { known.withLock { $0?.report } }

    func report(at transaction: Int64, make: () throws -> DeferralReport) rethrows -> DeferralReport {
        if let known = known.withLock({ $0 }), known.transaction == transaction { return known.report }
        let report = try make()
        known.withLock { $0 = (transaction, report) }
        return report
    }

    /// Replaces a report that is still valid.
    func replace(_ former: DeferralReport, with report: DeferralReport) {
        known.withLock { if $0?.report == former { $0?.report = report } }
    }
}

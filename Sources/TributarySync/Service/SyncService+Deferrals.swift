package import TributaryStore

extension SyncService {
    /// The last report; nil before the first one.
    package var lastDeferrals: DeferralReport? { deferrals.lastReport }

    /// A report of the writes that are deferred in the reader's state, without lines.
    package func deferrals(_ reader: Reader) throws -> DeferralReport { try deferrals.report(reader) }

    /// The report with the lines of its writes; without lines when the log folder does not answer in time.
    package func located(_ report: DeferralReport) async -> DeferralReport { await deferrals.located(report) }

    /// The statuses with the first deferred value of each by name, and with its line, as ``located(_:)`` finds it.
    package func located(_ statuses: [SegmentStatus], reading: StatusReading? = nil) async throws -> [SegmentStatus] {
        var statuses = statuses
        if statuses.contains(where: \.lacksDeferredNames) {
            let unnamed = statuses
            statuses = try await read(reading) { [deferrals] in try deferrals.named(unnamed, $0) }
        }
        return await deferrals.located(statuses)
    }
}

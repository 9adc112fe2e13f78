import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

extension Importer {
    /// The time after which a baseline is tried again whose blobs were not all there.
    private static let blobInterval = Duration.seconds(30)

    /// Joins a verified baseline.
    ///
    /// - Returns: The reason why it is not joined; nil when it is.
    /// - Throws: What the store throws.
    func join(_ baseline: KnownBaseline) async throws -> PlannedBaselines.Refusal? {
        let work = BaselineImport(
            baseline: baseline,
            logs: try LogFolder(path: state.configuration.logs),
            control: control,
            own: state.read(\.planner.own),
            wall: environment.wall
        )
        let file = baseline.name.path
        do {
            let verified = try await queue.run { try work.verified() }
            if let held = heldUntil(verified) {
                let refusal = refuse(file, "it has a clock that is too far ahead", retries: true)
                return PlannedBaselines.Refusal(reason: refusal.reason, retry: held)
            }
            state.update { $0.progress.isApplying = true }
            defer { state.update { $0.progress.isApplying = false } }
            let outcome = try await environment.replica.importTransactions { try work.join(verified, $0) }
            environment.logger.notice(
                "joined a baseline",
                metadata: [
                    "baseline": "\(file)", "writers": "\(outcome.writers)", "changes": "\(outcome.changes ?? 0)",
                ]
            )
            return nil
        } catch let missing as BaselineImport.MissingBlobs {
            let first = missing.names.first ?? ""
            return refuse(file, "\(missing.names.count) blobs are missing, such as \(first)", retries: true)
        } catch let error as SegmentError {
            // A replicator may bring the whole file later.
            return refuse(file, error.reason, retries: true)
        } catch let error as BaselineJoinError {
            // The files of the branch that the store lacks are in the log folder, or come.
            if case .otherBranches = error { return refuse(file, "\(error)", retries: true) }
            return refuse(file, "\(error)", retries: false)
        }
    }

    /// The wall time until which a segment with the greatest clock of the baseline would be held; nil when it would not.
    private func heldUntil(_ baseline: VerifiedBaseline) -> WallTime? {
        let limits = state.read(\.planner.limits)
        return baseline.writers.map(\.clock).max().flatMap { limits.heldUntil($0, wall: environment.wall) }
    }

    private func refuse(_ file: String, _ reason: String, retries: Bool) -> PlannedBaselines.Refusal {
        environment.logger.warning(
            "baseline is not joined",
            metadata: ["baseline": "\(file)", "reason": "\(reason)"]
        )
        let retry = retries ? environment.wall.later(by: Importer.blobInterval) : nil
        return PlannedBaselines.Refusal(reason: reason, retry: retry)
    }
}

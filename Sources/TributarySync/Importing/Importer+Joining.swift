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
    func join(_ baseline: KnownBaseline) async throws -> PlannedBaselines.Refusal? {
        let work = BaselineImport(
            baseline: baseline,
            logs: try LogFolder(path: state.configuration.logs),
            control: control,
            wall: environment.wall
        )
        let file = baseline.name.path
        do {
            let verified = try await queue.run { try work.verified() }
            if let held = held(verified) {
                warn(file, held.reason)
                return held
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
            return refuse(file, "blobs are missing, such as \(first) (\(missing.names.count) in all)")
        } catch let error as SegmentError {
            // A replicator may bring the whole file later.
            if error.isOfContent {
                let wall = environment.wall
                let refusal = BaselineShelf.refusal(error, former: nil, wall: wall)
                state.update { $0.refused(baseline.name, refusal, wall: wall) }
            }
            return refuse(file, error.reason)
        } catch let error as BaselineJoinError {
            warn(file, "\(error)")
            let hint = "On a machine with the version of the model of this one: tributaryctl compact"
            return PlannedBaselines.Refusal(reason: "\(error)", hint: hint)
        }
    }

    /// Why a baseline waits whose greatest clock is too far ahead, as a segment with that clock would; nil when it does
    /// not.
    private func held(_ baseline: VerifiedBaseline) -> PlannedBaselines.Refusal? {
        let (limits, wall) = (state.read(\.planner.limits), environment.wall)
        guard let writer = baseline.writers.max(by: { $0.clock < $1.clock }),
            let until = limits.heldUntil(writer.clock, wall: wall)
        else { return nil }
        return .clockAhead(writer.id, by: writer.clock.wallTime.duration(since: wall), retry: until)
    }

    private func refuse(_ file: String, _ reason: String) -> PlannedBaselines.Refusal {
        warn(file, reason)
        return PlannedBaselines.Refusal(
            reason: reason,
            hint: "What is missing is looked for every 30 s, and now with: tributaryctl sync",
            retry: environment.wall.later(by: Importer.blobInterval)
        )
    }

    private func warn(_ file: String, _ reason: String) {
        environment.logger.warning(
            "baseline is not joined",
            metadata: ["baseline": "\(file)", "reason": "\(reason)"]
        )
    }
}

extension PlannedBaselines.Refusal {
    /// The refusal of a baseline with a clock that is too far ahead.
    static func clockAhead(_ writer: UniqueID, by ahead: Duration, retry: WallTime) -> PlannedBaselines.Refusal {
        let seconds = ahead.components.seconds
        return PlannedBaselines.Refusal(
            reason: "the clock of writer \(writer) in it is \(seconds) s ahead of this machine's",
            hint:
                "If this machine's clock is wrong, set it right; else the baseline is joined when its time has come. To "
                + "join it now, set clock.max_ahead above \(seconds) s and: tributaryctl reload && tributaryctl sync",
            retry: retry,
            writer: writer
        )
    }
}

import TransactionLog
import TributaryChanges
import TributaryStore

/// Writes what there is to say about a segment besides its state: its writer, the baselines that have it, and its file.
struct SegmentNotes {
    let known: KnownTransactions
    let baselines: PlannedBaselines
    let wall: WallTime
    let grace: Duration

    func notes(_ status: SegmentStatus, isThere: Bool?, isOwn: Bool) -> [String] {
        var notes = [decision(status.id.writer)].compactMap(\.self)
        guard status.state == .applied else { return notes + status.waitingFor.prefix(1).compactMap { joining($0) } }
        let covering = known.baseline(with: status.id.last, of: status.id.writer)
        switch (isThere, covering) {
        case (false?, let baseline?):
            notes.append(
                "Its file is not in the log folder any more; the verified baseline \(baseline.name.path) has it."
            )
        case (false?, nil):
            notes.append("Its file is not in the log folder any more. To see what is missing: tributaryctl check")
        case (_, let baseline?) where isOwn:
            let has = "The verified baseline \(baseline.name.path) has it."
            notes.append("\(has) To see what its file waits for: tributaryctl compact --dry-run")
        case (_, let baseline?): notes.append("The verified baseline \(baseline.name.path) has it.")
        default: break
        }
        return notes
    }

    private func decision(_ writer: UniqueID) -> String? {
        switch known.record(of: writer)?.state {
        case .abandoned: "Its writer is abandoned: nothing waits for its missing transactions."
        case .evicted: "Its writer is evicted: nothing waits for its acknowledgements."
        case nil: nil
        }
    }

    /// The note about missing transactions that a verified baseline has.
    private func joining(_ dependency: UnmetDependency) -> String? {
        guard case .transactions(let writer, let from, _) = dependency,
            let baseline = known.baseline(with: from, of: writer)
        else { return nil }
        let has = "The verified baseline \(baseline.name.path) has the missing transactions."
        if let refusal = baselines.refused[baseline] { return "\(has) It is not joined: \(refusal.reason)." }
        guard let since = baselines.gapSince else { return has }
        let rest = max(.zero, since.later(by: grace).duration(since: wall)).components.seconds
        return "\(has) This store joins it when they have been missing for watch.incomplete_grace, in \(rest) s."
    }
}

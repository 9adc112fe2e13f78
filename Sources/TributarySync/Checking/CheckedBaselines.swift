import TransactionLog
import TributaryChanges
import TributaryStore

/// The verified baselines of the log folder, as a check uses them.
struct CheckedBaselines: Sendable {
    /// For each writer, the last transaction that a verified baseline has: older segments may be gone.
    let covered: VersionVector
    /// The baselines with which the rebuilt store begins; none while all segments are there.
    let bases: [KnownBaseline]

    /// Chooses baselines that the state has applied, where segments are missing.
    init(_ shelf: BaselineShelf, state: CheckedState, listing: [UniqueID: [SegmentName]]) {
        var covered = VersionVector()
        for baseline in shelf.verified {
            for (writer, sequence) in baseline.vector.entries { covered[writer] = max(covered[writer], sequence) }
        }
        self.covered = covered
        let lacksSegments = state.writers.contains { writer in
            guard covered[writer.id] > 0 else { return false }
            let names = Set(listing[writer.id] ?? [])
            var reached: UInt64 = 0
            for record in writer.records where record.first <= reached.addingSaturating(1) {
                let name = SegmentName(writer: writer.id, first: record.first, last: record.last)
                if names.contains(name) { reached = max(reached, record.last) }
            }
            return reached < min(covered[writer.id], writer.sequence)
        }
        bases = lacksSegments ? shelf.bases(of: state.vector) : []
    }
}

import TransactionLog
import TributaryChanges

/// Explains why a segment must wait: missing sequences before it, and preceding segments that cannot be applied.
///
/// It visits the segments of a writer in order, each at constant cost.
struct PrecedingSegments {
    private let position: UInt64
    /// The last sequence that is in the folder or applied.
    private var reach: UInt64
    private var missing: [(from: UInt64, through: UInt64)] = []
    private var stuck: [SegmentStatus] = []

    init(position: UInt64) {
        self.position = position
        reach = position
    }

    /// The number of ranges that are listed for one segment.
    private static let listed = 8

    /// Explains the status of a waiting segment by the segments before it.
    mutating func explain(_ status: inout SegmentStatus, writer: PlannedWriter) {
        addGap(before: status.id)
        status.waitingFor += missing.map { .transactions(writer: status.id.writer, from: $0.from, through: $0.through) }
        status.waitingFor += stuck.map {
            .transactions(writer: $0.id.writer, from: $0.id.first, through: $0.id.last)
        }
        if let first = missing.first {
            let misfit = writer.misfits.first { $0.id.first <= first.through && first.from <= $0.id.last }
            status.reason = "Transactions \(first.from) to \(first.through) of this writer are not here."
            if let misfit { status.reason += " \(misfit.fileName) is \(misfit.state.rawValue)." }
            status.hint = "See that the writer's segments arrive. \(ImportPlanner.abandonHint(status.id.writer))"
        } else if let first = stuck.first {
            status.reason = "It comes after \(first.id.fileName), which is \(first.state.rawValue)."
            status.hint = first.hint
        } else {
            status.reason = "Its turn comes next."
        }
    }

    /// Passes the segment with this status; later segments take it into account.
    mutating func pass(_ status: SegmentStatus, holdsNext: Bool) {
        addGap(before: status.id)
        reach = max(reach, status.id.last)
        let stops = status.state != .waiting || (holdsNext && status.id.first <= position &+ 1)
        if stops, stuck.count < PrecedingSegments.listed { stuck.append(status) }
    }

    private mutating func addGap(before id: SegmentName) {
        guard id.first > reach, id.first - reach > 1 else { return }
        if missing.count < PrecedingSegments.listed { missing.append((reach + 1, id.first - 1)) }
        reach = id.first - 1
    }
}

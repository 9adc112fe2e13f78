package import TransactionLog
package import TributaryChanges

/// The reason why the service refused a request.
package enum SyncError: Error, Hashable, Sendable {
    /// The service has not begun or has ended; 503.
    case notRunning
    /// Importing is paused since the given wall time; 409.
    case paused(since: WallTime)
    /// No such segment is known; 404.
    case noSuchSegment(SegmentName)
    /// The segment is not held; 409.
    case notHeld(SegmentName, state: SegmentState)
    /// No such writer is known; 404.
    case noSuchWriter(UniqueID)
    /// The writer is the store's own one; 409.
    case ownWriter(UniqueID)
}

extension SyncError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notRunning: "The log folder is not being watched."
        case .paused: "Importing is paused."
        case .noSuchSegment(let name) where name.first == 0 || name.first > name.last:
            "\(name.path) is no segment's name: sequences begin with 1, and the last one does not come before the first."
        case .noSuchSegment(let name): "There is no segment \(name.path)."
        case .notHeld(let name, let state): "Segment \(name.path) is \(state.rawValue), not held."
        case .noSuchWriter(let writer): "There is no writer \(writer)."
        case .ownWriter(let writer): "\(writer) is this store's own writer."
        }
    }
}

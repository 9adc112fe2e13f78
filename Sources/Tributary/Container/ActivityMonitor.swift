public import Observation
import TributaryStore

/// The work under way in a container, for a progress indicator: observable, on the main actor.
///
/// ```swift
/// let monitor = container.activityMonitor()
/// withObservationTracking { indicator.isHidden = !monitor.isActive } onChange: {}
/// ```
@MainActor
@Observable
public final class ActivityMonitor {
    /// The running activities, in the order in which they began.
    public private(set) var running: [Activity] = []
    /// Whether any activity is running.
    public var isActive: Bool { !running.isEmpty }

    init(_ board: ActivityBoard) {
        let changes = board.broadcast.stream()
        running = board.running
        // The task ends when the container closes or the monitor is released; it cannot be a child task.
        Task { [weak self] in
            for await _ in changes {
                guard let self else { return }
                self.running = board.running
            }
            self?.running = board.running
        }
    }
}

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
    /// What has begun and not ended, in the order in which it began.
    public private(set) var running: [Activity] = []
    /// Whether anything is under way.
    public var isActive: Bool { !running.isEmpty }

    init(_ board: ActivityBoard) {
        let news = board.broadcast.stream()
        running = board.running
        // Ends when the container closes or the monitor goes; it cannot be a child of anything.
        Task { [weak self] in
            for await _ in news {
                guard let self else { return }
                self.running = board.running
            }
            self?.running = board.running
        }
    }
}

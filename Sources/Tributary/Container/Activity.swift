public import Observation
import Synchronization
import TributaryStore

/// Work in progress, such as an import or a merge, which an application can show with a progress indicator.
public struct Activity: Sendable, Hashable {
    /// The phase of an activity.
    public enum Phase: String, Sendable, Hashable {
        case started
        case finished
    }

    /// The number of the activity within its container, counted from the first.
    public let number: UInt64
    /// A description of the work, to be shown to people.
    public let title: String
    /// Whether it has begun or ended.
    public let phase: Phase

    /// Creates an activity from its number, title and phase.
    public init(number: UInt64, title: String, phase: Phase) {
        self.number = number
        self.title = title
        self.phase = phase
    }
}

final class ActivityBoard: Sendable {
    private struct State {
        var count: UInt64 = 0
        var running: [UInt64: Activity] = [:]
    }

    private let state = Mutex(State())
    let broadcast = Broadcast<Activity>(limit: 256)

    var running: [Activity] { state.withLock { $0.running.values.sorted { $0.number < $1.number } } }

    func run<T>(_ title: String, _ block: () async throws -> T) async rethrows -> T {
        let number = begin(title)
        defer { end(number, title) }
        return try await block()
    }

    // Subscribers are notified under the lock, so that they see the activities in order.

    private func begin(_ title: String) -> UInt64 {
        state.withLock { state in
            state.count += 1
            let activity = Activity(number: state.count, title: title, phase: .started)
            state.running[state.count] = activity
            broadcast.send(activity)
            return state.count
        }
    }

    private func end(_ number: UInt64, _ title: String) {
        state.withLock { state in
            guard state.running.removeValue(forKey: number) != nil else { return }
            broadcast.send(Activity(number: number, title: title, phase: .finished))
        }
    }

    func finish() {
        state.withLock { state in
            for (number, activity) in state.running.sorted(by: { $0.key < $1.key }) {
                broadcast.send(Activity(number: number, title: activity.title, phase: .finished))
            }
            state.running = [:]
            broadcast.finish()
        }
    }
}

/// The work under way in a container, for a progress indicator: observable, on the main actor.
///
/// ```swift
/// let monitor = container.activityMonitor()
/// withObservationTracking { indicator.isHidden = !monitor.isActive } onChange: {}
/// ```
@MainActor
@Observable
public final class ActivityMonitor {
    /// The running activities, in the order of their beginnings.
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

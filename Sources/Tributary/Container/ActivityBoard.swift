import Synchronization
import TributaryStore

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

    /// Ends the streams; a subscriber has received the end of every activity that began.
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

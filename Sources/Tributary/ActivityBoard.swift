import Synchronization

/// Numbers activities and tells who wants to know.
final class ActivityBoard: Sendable {
    private let next = Atomic<UInt64>(0)
    let broadcast = Broadcast<Activity>(limit: 256)

    /// Shows an activity for as long as `body` runs.
    func show<T>(_ title: String, _ body: () async throws -> T) async rethrows -> T {
        let number = next.add(1, ordering: .relaxed).newValue
        broadcast.send(Activity(number: number, title: title, phase: .started))
        defer { broadcast.send(Activity(number: number, title: title, phase: .finished)) }
        return try await body()
    }
}

import Synchronization

/// Decides at which moment the program of a replica ends, and keeps the store's files of that moment.
final class CrashPlan: Sendable {
    /// The error that ends the work in progress.
    struct Crash: Error {}

    private struct State {
        var armed: CrashPoint?
        var image: StoreImage?
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) { self.path = path }

    func arm(_ point: CrashPoint?) { state.withLock { $0.armed = point } }

    /// - Throws: ``Crash`` when the program ends at this point.
    func reach(_ point: CrashPoint) throws {
        guard state.withLock({ $0.armed == point }) else { return }
        let image = try StoreImage(of: path)
        state.withLock { $0 = State(image: image) }
        throw Crash()
    }

    /// Removes and returns the files of the moment at which the program ended; nil when it goes on.
    func takeImage() -> StoreImage? { state.withLock { $0.image.take() } }
}

import Synchronization

final class DigestedObjects: Sendable {
    private let atomic = Atomic<Int64>(0)

    var count: Int64 {
        get { atomic.load(ordering: .relaxed) }
        set { atomic.store(newValue, ordering: .relaxed) }
    }
}

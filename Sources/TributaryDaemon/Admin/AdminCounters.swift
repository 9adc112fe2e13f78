import Synchronization

final class AdminCounters: Sendable {
    private let requestCount = Atomic<UInt64>(0)
    private let streamCount = Atomic<Int>(0)

    static let streamLimit = 256

    var requests: UInt64 { requestCount.load(ordering: .relaxed) }
    var streams: Int { streamCount.load(ordering: .relaxed) }

    func countRequest() { requestCount.add(1, ordering: .relaxed) }

    func beginStream() -> Bool {
        guard streamCount.add(1, ordering: .relaxed).newValue > AdminCounters.streamLimit else { return true }
        streamCount.subtract(1, ordering: .relaxed)
        return false
    }

    func endStream() { streamCount.subtract(1, ordering: .relaxed) }
}

/// Limits the number of simultaneous operations; the others wait in FIFO order.
package actor Turnstile {
    private var freePlaces: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(places: Int) {
        freePlaces = places
    }

    /// Runs `body` once the limit allows it.
    package func pass<T: Sendable>(_ body: @concurrent @Sendable () async throws -> T) async rethrows -> T {
        if freePlaces > 0 {
            freePlaces -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        if waiting.isEmpty {
            freePlaces += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

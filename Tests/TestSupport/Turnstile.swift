/// Lets only so many work at one time; the others wait in the order in which they came.
package actor Turnstile {
    private var freePlaces: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(places: Int) {
        freePlaces = places
    }

    /// Runs `body` once there is a place.
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

/// Lets only so many work at one time; the others wait in the order in which they came.
package actor Turnstile {
    private var freePlaces: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(places: Int) {
        freePlaces = places
    }

    /// Runs `body` once there is a place.
    package func pass(_ body: @concurrent @Sendable () async throws -> Void) async rethrows {
        if freePlaces > 0 {
            freePlaces -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
        defer { leave() }
        try await body()
    }

    private func leave() {
        if waiting.isEmpty {
            freePlaces += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

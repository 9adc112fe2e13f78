import Dispatch

/// Runs blocking work one after the other on a thread that is not one of the few that tasks share.
package struct SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// Work `inBackground` leaves the processors to everything else that is ready to run.
    package init(_ name: String, inBackground: Bool = false) {
        queue = DispatchQueue(label: name, qos: inBackground ? .background : .default)
    }

    /// Returns what `body` returns, after the work that was given before.
    ///
    /// - Throws: what `body` throws.
    package func run<T: Sendable, E: Error>(_ body: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let result: Result<T, E> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}

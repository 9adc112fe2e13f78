import Dispatch

/// Runs blocking work one after the other on a thread that is not one of the few that tasks share.
package struct SerialQueue: Sendable {
    private let queue: DispatchQueue

    /// Work `inBackground` leaves the processors to everything else that is ready to run.
    package init(_ name: String, inBackground: Bool = false) {
        queue = DispatchQueue(label: name, qos: inBackground ? .background : .default)
    }

    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

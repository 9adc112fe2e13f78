import Dispatch

/// Runs blocking work one after the other on a thread that is not one of the few that tasks share.
package struct SerialQueue: Sendable {
    private let queue: DispatchQueue

    package init(_ name: String) {
        queue = DispatchQueue(label: name)
    }

    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}

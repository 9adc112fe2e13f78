import Dispatch
import Glibc
import Synchronization

package final class PendingBlocks: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var blocked: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    package func begin() {
        state.withLock { $0.count += 1 }
    }

    package func end() {
        let (waiting, blocked) = state.withLock { state in
            state.count -= 1
            precondition(state.count >= 0, "a block ended twice")
            guard state.count == 0 else { return ([CheckedContinuation<Void, Never>](), [DispatchSemaphore]()) }
            defer {
                state.waiting = []
                state.blocked = []
            }
            return (state.waiting, state.blocked)
        }
        for continuation in waiting { continuation.resume() }
        for semaphore in blocked { semaphore.signal() }
    }

    @discardableResult
    func blockUntilNone(until deadline: DispatchTime) -> Bool {
        let semaphore = DispatchSemaphore(value: 0)
        let isDone = state.withLock { state in
            if state.count > 0 { state.blocked.append(semaphore) }
            return state.count == 0
        }
        return isDone || semaphore.wait(timeout: deadline) == .success
    }

    package func waitForNone() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isDone { continuation.resume() }
        }
    }
}

/// At exit, the program waits for accepted blocks, but a block that waits for the main actor waits in vain.
enum ExitDrain {
    private struct Watched: Sendable {
        weak var pipeline: MergePipeline?
    }

    private struct State {
        var isRegistered = false
        var watched: [Watched] = []
    }

    private static let state = Mutex(State())

    static func add(_ pipeline: MergePipeline) {
        let isFirst = state.withLock { state in
            state.watched.removeAll { $0.pipeline == nil }
            state.watched.append(Watched(pipeline: pipeline))
            defer { state.isRegistered = true }
            return !state.isRegistered
        }
        if isFirst { atexit { ExitDrain.wait() } }
    }

    private static func wait() {
        let start = DispatchTime.now()
        for pipeline in state.withLock({ $0.watched.compactMap(\.pipeline) }) {
            let seconds = pipeline.options.shutdownTimeout / .seconds(1)
            pipeline.pending.blockUntilNone(until: start + seconds)
        }
    }
}

import Dispatch
import Glibc
import Synchronization

/// The wait of the program's exit for blocks that containers have accepted and that have not ended.
///
/// Blocks run on queues of their own, which continue while the thread that called `exit`, or returned from `main`,
/// waits here. The main actor no longer runs then, so a block that waits for it waits in vain, changes of the view
/// context are not saved, and nothing is merged: call `await container.close()` to end a program cleanly.
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

    /// All containers wait at the same time, each for its own timeout.
    private static func wait() {
        let start = DispatchTime.now()
        for pipeline in state.withLock({ $0.watched.compactMap(\.pipeline) }) {
            let seconds = pipeline.options.shutdownTimeout / .seconds(1)
            pipeline.pending.blockUntilNone(until: start + seconds)
        }
    }
}

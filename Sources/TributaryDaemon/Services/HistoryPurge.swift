import Logging
import Tributary
import TributaryChanges
import TributaryStore

/// Deletes history that is older than `history.keep`, at the start and once a day.
struct HistoryPurge {
    let engine: Engine
    let state: DaemonState
    let logger: Logger

    private static let interval = Duration.seconds(86_400)

    func run() async {
        while !Task.isCancelled {
            await purge()
            try? await Task.sleep(for: Self.interval, tolerance: .seconds(600))
        }
    }

    private func purge() async {
        let keep = Duration.seconds(state.configuration.history.keep.components.seconds)
        let start = engine.wallTime.earlier(by: keep)
        do {
            try await engine.container.store.writeInTurn { try $0.purgeHistory(committedBefore: start.unixSeconds) }
        } catch {
            logger.warning("Old history could not be removed", metadata: ["error": "\(error)"])
        }
    }
}

import Logging
import Tributary
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
        let keep = Double(state.configuration.history.keep.components.seconds)
        let now = Double(engine.container.store.configuration.environment.wallMilliseconds()) / 1_000
        do {
            try await engine.container.store.writeInTurn { try $0.purgeHistory(committedBefore: now - keep) }
        } catch {
            logger.warning("Old history could not be removed", metadata: ["error": "\(error)"])
        }
    }
}

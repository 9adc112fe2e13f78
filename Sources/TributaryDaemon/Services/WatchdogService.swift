import ServiceLifecycle
import TributarySync

/// Tells systemd that the daemon is alive, only while the import loop and the main actor make progress.
struct WatchdogService: Service {
    let state: DaemonState
    let notifier: SystemdNotifier

    func run() async throws {
        guard let interval = notifier.watchdogInterval else {
            try? await gracefulShutdown()
            return
        }
        try? await cancelWhenGracefulShutdown { try await watch(every: interval / 3) }
    }

    private func watch(every pause: Duration) async throws {
        let answers = MainAnswers()
        var lastProgress: UInt64?
        while true {
            answers.ask()
            try await Task.sleep(for: pause)
            let isImporting = state.engine?.sync.status.isImporting ?? false
            let progress = state.engine?.sync.control.progress
            let importMoves = !isImporting || progress != lastProgress
            lastProgress = progress
            if importMoves, answers.hasAnswered { notifier.watchdog() }
        }
    }
}

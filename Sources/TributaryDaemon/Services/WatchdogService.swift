import ServiceLifecycle
import TributarySync

/// Tells systemd that the daemon is alive, only while the folder's loops and the main actor make progress.
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
        while true {
            answers.ask()
            try await Task.sleep(for: pause)
            let works = state.engine.map { [$0.sync.control.work, $0.sync.exportWork] } ?? []
            let isAlive = Self.isAlive(
                mainAnswers: answers.hasAnswered,
                silences: works.map(\.silence),
                limit: pause
            )
            if isAlive { notifier.watchdog() }
        }
    }

    /// Whether everything that is at work has made a step within the limit; nil is what rests.
    ///
    /// Looking at the folder, verifying, applying, comparing and exporting are all work.
    static func isAlive(mainAnswers: Bool, silences: [Duration?], limit: Duration) -> Bool {
        mainAnswers && silences.allSatisfy { ($0 ?? .zero) < limit }
    }
}

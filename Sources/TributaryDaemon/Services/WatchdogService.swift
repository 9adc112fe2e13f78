import ServiceLifecycle
import Synchronization
import TributarySync

/// Reports to systemd that the loops of the log folder and the main actor make progress.
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
        let mainActor = MainActorCheck()
        while true {
            mainActor.start()
            try await Task.sleep(for: pause)
            let works = state.engine.map { [$0.sync.control.work, $0.sync.exportWork] } ?? []
            let isAlive = Self.isAlive(
                isMainActorResponsive: mainActor.isResponsive,
                silences: works.map(\.silence),
                limit: pause
            )
            if isAlive { notifier.watchdog() }
        }
    }

    /// A nil silence is an idle loop.
    static func isAlive(isMainActorResponsive: Bool, silences: [Duration?], limit: Duration) -> Bool {
        isMainActorResponsive && silences.allSatisfy { ($0 ?? .zero) < limit }
    }
}

final class MainActorCheck: Sendable {
    private let isPending = Mutex(false)

    var isResponsive: Bool { isPending.withLock { !$0 } }

    func start() {
        let isNew = isPending.withLock { pending in
            defer { pending = true }
            return !pending
        }
        guard isNew else { return }
        // The task is unstructured: the caller must not wait for a main actor that hangs.
        Task { @MainActor in isPending.withLock { $0 = false } }
    }
}

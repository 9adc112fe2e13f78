import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import Synchronization
import Tributary
import TributaryAdmin
import TributarySync

/// Enforces the deadline of the whole stop on a queue of its own, because the threads of Swift tasks may all hang.
final class StopWatch: Sendable {
    private let state: DaemonState
    private let socket: AdminSocket
    private let shutdownBroadcast: ShutdownBroadcast
    private let logger: Logger
    // The queue has the default priority: Dispatch needs a privilege for a higher priority, and would print a warning.
    private let queue = DispatchQueue(label: "tributary.stop")
    private let isRunning = Atomic(false)

    init(state: DaemonState, socket: AdminSocket, shutdownBroadcast: ShutdownBroadcast, logger: Logger) {
        self.state = state
        self.socket = socket
        self.shutdownBroadcast = shutdownBroadcast
        self.logger = logger
    }

    func start() {
        guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return }
        follow(state.configuration.shutdown, from: .now, hasRolledBack: false)
    }

    private func follow(_ schedule: StopSchedule, from start: ContinuousClock.Instant, hasRolledBack: Bool) {
        switch schedule.action(at: start.duration(to: .now), hasRolledBack: hasRolledBack) {
        case .wait(let time):
            let rest = time - start.duration(to: .now)
            queue.asyncAfter(deadline: .now() + rest / .seconds(1)) { [self] in
                follow(schedule, from: start, hasRolledBack: hasRolledBack)
            }
        case .rollBack:
            logger.error("The stop takes longer than shutdown.timeout: the import is rolled back")
            state.engine?.sync.abort()
            follow(schedule, from: start, hasRolledBack: true)
        case .leave:
            leave()
        }
    }

    /// Does not call `exit`, because its handlers would wait for pending saves once more; committed data is safe.
    private func leave() {
        let pending = state.engine?.container.pendingSaves ?? 0
        let status = pending == 0 ? ExitStatus.done : .tryAgain
        logger.critical(
            "The stop is stuck: the process ends now",
            metadata: ["pendingSaves": "\(pending)", "status": "\(status.rawValue)"]
        )
        shutdownBroadcast.send()
        socket.remove()
        _exit(status.rawValue)
    }
}

/// Waits for the request to stop; the end of this service stops the service group.
struct GateService: Service {
    let stopRequest: ShutdownBroadcast
    let state: DaemonState
    let notifier: SystemdNotifier
    let logger: Logger

    func run() async throws {
        await withGracefulShutdownHandler {
            await stopRequest.wait()
        } onGracefulShutdown: {
            stopRequest.send()
        }
        if state.stop() {
            notifier.stopping()
            logger.notice("Stopping")
        }
    }
}

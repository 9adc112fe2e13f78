import Logging
import ServiceLifecycle

/// Waits for the wish to stop; from then on no new work is taken.
///
/// Ending, it makes the group stop.
struct GateService: Service {
    let trigger: StopTrigger
    let state: DaemonState
    let notifier: SystemdNotifier
    let logger: Logger

    func run() async throws {
        await withGracefulShutdownHandler {
            await trigger.wait()
        } onGracefulShutdown: {
            trigger.fire()
        }
        if state.stop() {
            notifier.stopping()
            logger.notice("Stopping")
        }
    }
}

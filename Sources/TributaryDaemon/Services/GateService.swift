import Logging
import ServiceLifecycle

/// Waits for the request to stop, and refuses new requests from then on.
///
/// The end of this service stops the service group.
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

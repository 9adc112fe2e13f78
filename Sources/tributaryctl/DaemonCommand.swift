import ArgumentParser
import TributaryAdmin

/// A command that sends requests to the daemon.
///
/// This protocol converts errors to a message and an exit status.
protocol DaemonCommand: AsyncParsableCommand {
    var connection: ConnectionOptions { get }

    func run(with session: Session) async throws
}

extension DaemonCommand {
    func run() async throws {
        let session = Session(connection)
        do {
            try await run(with: session)
        } catch {
            throw session.report(error)
        }
    }
}

import ArgumentParser
import TributaryAdmin

/// A command that asks the daemon.
///
/// Errors become a message and an exit status in one place, here.
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

import ArgumentParser
import TributaryAdmin

struct ReloadCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Read the configuration again; the old one stays when the new one is bad."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.client.send(AdminCall(.post, .reload))
        do {
            let message = try response.orProblem().decode(ReloadMessage.self)
            if session.json { return session.terminal.print(response.text) }
            session.terminal.print(
                message.changed.isEmpty ? "nothing changed" : "changed: " + message.changed.joined(separator: ", ")
            )
            if !message.restartNeeded.isEmpty {
                session.terminal.print("needs a restart: " + message.restartNeeded.joined(separator: ", "))
            }
        } catch let problem as ProblemDocument where problem.type == ProblemKind.badConfiguration.type {
            _ = session.report(problem)
            throw ExitStatus.badConfiguration
        }
    }
}

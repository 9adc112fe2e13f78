import ArgumentParser
import TributaryAdmin

struct ResumeCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Import again after a pause.")

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .resume))
        session.terminal.print(session.json ? response.text : "importing")
    }
}

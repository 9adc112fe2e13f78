import ArgumentParser
import TributaryAdmin

struct WriterListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List writers and how far they are.")

    @Option(help: "How many, at most 1000.")
    var limit: Int?

    @Option(help: ArgumentHelp("Go on after the list before.", valueName: "next"))
    var after: String?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let path = AdminPath.with(AdminPath.writers, query: [("limit", limit.map(String.init)), ("after", after)])
        try await session.call(AdminCall(.get, path), as: WritersMessage.self) { message in
            var table = Table("WRITER", "NAME", "STATE", "SEQUENCE", "LAG", "SEEN")
            for writer in message.writers {
                table.add([
                    writer.id, writer.name, writer.state, String(writer.sequence),
                    writer.lagSeconds.map(TimeText.stretch),
                    writer.seen.isEmpty ? nil : "\(writer.seen.count) writers",
                ])
            }
            table.print(on: session.terminal)
            if let next = message.next { session.terminal.print("more: --after \(next)") }
        }
    }
}

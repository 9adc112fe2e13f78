import ArgumentParser
import TributaryAdmin

struct ObjectGetCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show one object.",
        aliases: ["show"]
    )

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The object's UUID.")
    var id: String

    @Option(help: ArgumentHelp("Relationships to list as well.", valueName: "names"))
    var include: String?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.get, .object, entity, id, query: [("include", include)]))
        if session.json { return session.terminal.print(response.text) }
        ObjectTable.print(try ResponseJSON.parse(response), on: session.terminal)
    }
}

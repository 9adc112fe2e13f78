import ArgumentParser
import TributaryAdmin
import TributaryChanges

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

    @OptionGroup var page: PageOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .object, entity, id, query: [("include", include)] + page.query)
        let response = try await session.call(call)
        if session.json { return session.terminal.print(response.text) }
        let object = try ResponseJSON.parse(response)
        ObjectTable.print(object, on: session.terminal)
        PageOptions.printNext(ResponseJSON.text(object["next"]), on: session.terminal)
    }
}

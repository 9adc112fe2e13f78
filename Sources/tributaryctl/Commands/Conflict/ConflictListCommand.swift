import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct ConflictListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List losing values, the oldest first.",
        aliases: ["ls"]
    )

    @OptionGroup var page: PageOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .conflicts, query: page.query)
        let response = try await session.call(call)
        if session.json { return session.terminal.print(response.text) }
        let value = try ResponseJSON.parse(response)
        guard case .array(let conflicts)? = value["conflicts"] else { return }
        var table = Table("NUMBER", "FOUND", "RULE", "OBJECT", "PROPERTY", "WRITER", "RESTORED", "LOSING VALUE")
        for conflict in conflicts.map(ConflictText.init) {
            table.add([
                conflict.text("number"), conflict.foundAt, conflict.text("rule"), conflict.object,
                conflict.text("property"), conflict.writer("losing"), conflict.text("restored"),
                conflict.value("losing"),
            ])
        }
        table.print(on: session.terminal)
        if case .integer(let dropped)? = value["dropped"], dropped > 0 {
            session.terminal.print("not kept: \(dropped)")
        }
        PageOptions.printNext(ResponseJSON.text(value["next"]), on: session.terminal)
    }
}

import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct ConflictListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List losing values, the oldest first."
    )

    @Option(help: "How many, at most 1000.")
    var limit: Int?

    @Option(help: ArgumentHelp("Go on after the list before.", valueName: "next"))
    var after: String?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .conflicts, query: [("limit", limit.map(String.init)), ("after", after)])
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
        if let next = ResponseJSON.text(value["next"]) { session.terminal.print("more: --after \(next)") }
    }
}

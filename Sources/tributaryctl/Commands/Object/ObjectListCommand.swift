import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct ObjectListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Fetch objects of an entity and those below it.",
        aliases: ["ls"]
    )

    @Argument(help: "The entity's name.")
    var entity: String

    // A predicate and sort keys may start with a dash.
    @Option(
        name: .customLong("where"),
        parsing: .unconditional,
        help: ArgumentHelp("Such as \"salary > 1000\".", valueName: "predicate")
    )
    var predicate: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Such as name,-salary.", valueName: "keys"))
    var sort: String?

    @Flag(help: "Only the number of objects.")
    var count = false

    @Option(help: ArgumentHelp("Relationships to list as well.", valueName: "names"))
    var include: String?

    @OptionGroup var page: PageOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(
            .get,
            .objects,
            entity,
            query: [
                ("where", predicate), ("sort", sort), ("count", count ? "true" : nil), ("include", include),
            ] + page.query
        )
        let response: AdminResponse
        do {
            response = try await session.call(call)
        } catch let problem as ProblemDocument {
            let text = problem.type == ProblemKind.badPredicate.type ? predicate : sort
            throw text.flatMap { LocatedProblem(problem, in: $0) } ?? problem as any Error
        }
        if session.json { return session.terminal.print(response.text) }
        let value = try ResponseJSON.parse(response)
        if count { return session.terminal.print(value["count"]?.text ?? "0") }
        guard case .array(let objects)? = value["objects"] else { return }
        ObjectTable(objects: objects).print(on: session.terminal)
        PageOptions.printNext(ResponseJSON.text(value["next"]), on: session.terminal)
    }
}

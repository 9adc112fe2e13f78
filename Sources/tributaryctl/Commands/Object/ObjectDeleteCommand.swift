import ArgumentParser
import TributaryChanges

struct ObjectDeleteCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete objects; the model's delete rules apply.",
        aliases: ["rm"]
    )

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The objects' UUIDs.")
    var ids: [String]

    @Option(help: ArgumentHelp("Only if the objects are still at this version.", valueName: "version"))
    var ifVersion: Int64?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let request = ChangeRequest(session: session)
        let changes = ids.map { id in
            var members = [
                JSONMember(key: "delete", value: .string(entity)), JSONMember(key: "id", value: .string(id)),
            ]
            if let ifVersion { members.append(JSONMember(key: "ifVersion", value: .integer(ifVersion))) }
            return JSONValue.object(members)
        }
        try request.printResult(try await request.send(changes))
    }
}

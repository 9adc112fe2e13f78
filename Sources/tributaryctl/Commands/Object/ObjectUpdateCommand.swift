import ArgumentParser
import TributaryChanges

struct ObjectUpdateCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change an object's values and links."
    )

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The object's UUID.")
    var id: String

    @Argument(help: ArgumentHelp("name=text, or name:=JSON.", valueName: "property"))
    var properties: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Add to a to-many relationship: name=UUID,UUID.", valueName: "links"))
    var link: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Take out of a to-many relationship: name=UUID,UUID.", valueName: "links"))
    var unlink: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Only if the object is still at this version.", valueName: "version"))
    var ifVersion: Int64?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let request = ChangeRequest(session: session)
        var changes: [JSONValue] = []
        if !properties.isEmpty || (link.isEmpty && unlink.isEmpty) {
            let values = try await request.values(of: properties, entity: entity)
            changes.append(change("update", [JSONMember(key: "values", value: values)]))
        }
        changes += link.map { change("link", linked($0)) } + unlink.map { change("unlink", linked($0)) }
        try request.printResult(try await request.send(changes))
    }

    private func change(_ kind: String, _ rest: [JSONMember]) -> JSONValue {
        var members = [JSONMember(key: kind, value: .string(entity)), JSONMember(key: "id", value: .string(id))]
        if let ifVersion { members.append(JSONMember(key: "ifVersion", value: .integer(ifVersion))) }
        return .object(members + rest)
    }

    private func linked(_ argument: PropertyArgument) -> [JSONMember] {
        let ids = argument.text.split(separator: ",").map { JSONValue.string(String($0)) }
        return [JSONMember(key: "to", value: .string(argument.name)), JSONMember(key: "ids", value: .array(ids))]
    }
}

import ArgumentParser
import TributaryChanges

struct ObjectOptions: ParsableArguments {
    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: "The object's UUID.")
    var id: String

    @Option(help: ArgumentHelp("Only if the object is still at this version.", valueName: "version"))
    var ifVersion: Int64?

    func change(_ kind: String, _ rest: [JSONMember]) -> JSONValue {
        var members = [JSONMember(key: kind, value: .string(entity)), JSONMember(key: "id", value: .string(id))]
        if let ifVersion { members.append(JSONMember(key: "ifVersion", value: .integer(ifVersion))) }
        return .object(members + rest)
    }

    func links(_ kind: String, _ relationship: String, _ ids: [String]) -> JSONValue {
        let ids = ids.map { JSONValue.string($0) }
        return change(
            kind,
            [JSONMember(key: "to", value: .string(relationship)), JSONMember(key: "ids", value: .array(ids))]
        )
    }
}

struct ObjectUpdateCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change an object's values and links."
    )

    @OptionGroup var object: ObjectOptions

    @Argument(help: ArgumentHelp("name=text, or name:=JSON.", valueName: "property"))
    var properties: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Add to a to-many relationship: name=UUID,UUID.", valueName: "links"))
    var link: [PropertyArgument] = []

    @Option(help: ArgumentHelp("Take out of a to-many relationship: name=UUID,UUID.", valueName: "links"))
    var unlink: [PropertyArgument] = []

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let request = ChangeRequest(session: session)
        var changes: [JSONValue] = []
        if !properties.isEmpty || (link.isEmpty && unlink.isEmpty) {
            let values = try await request.values(of: properties, entity: object.entity)
            changes.append(object.change("update", [JSONMember(key: "values", value: values)]))
        }
        for (kind, arguments) in [("link", link), ("unlink", unlink)] {
            changes += arguments.map { object.links(kind, $0.name, $0.text.split(separator: ",").map(String.init)) }
        }
        try request.printResult(try await request.send(changes))
    }
}

/// The objects that a command links with another one, or unlinks.
struct LinkOptions: ParsableArguments {
    @OptionGroup var object: ObjectOptions

    @Argument(help: "The relationship's name.")
    var relationship: String

    @Argument(help: "The UUIDs of the objects to add or to take out.")
    var others: [String]

    fileprivate func send(_ kind: String, with session: Session) async throws {
        let request = ChangeRequest(session: session)
        try request.printResult(try await request.send([object.links(kind, relationship, others)]))
    }
}

struct ObjectLinkCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Add objects to a to-many relationship of an object."
    )

    @OptionGroup var links: LinkOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws { try await links.send("link", with: session) }
}

struct ObjectUnlinkCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Take objects out of a to-many relationship of an object."
    )

    @OptionGroup var links: LinkOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws { try await links.send("unlink", with: session) }
}

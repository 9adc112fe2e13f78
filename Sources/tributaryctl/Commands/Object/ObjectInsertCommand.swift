import ArgumentParser
import TributaryChanges

struct ObjectInsertCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "insert",
        abstract: "Make an object and print its ID."
    )

    @Argument(help: "The entity's name.")
    var entity: String

    @Argument(help: ArgumentHelp("name=text, or name:=JSON.", valueName: "property"))
    var properties: [PropertyArgument] = []

    @Option(help: ArgumentHelp("The object's UUID; by default a new one.", valueName: "uuid"))
    var id: String?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let request = ChangeRequest(session: session)
        var change = [JSONMember(key: "insert", value: .string(entity))]
        if let id { change.append(JSONMember(key: "id", value: .string(id))) }
        change.append(JSONMember(key: "values", value: try await request.values(of: properties, entity: entity)))
        try request.printResult(try await request.send([.object(change)]))
    }
}

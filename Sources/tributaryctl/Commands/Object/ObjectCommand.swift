import ArgumentParser

struct ObjectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "object",
        abstract: "Read and change objects.",
        subcommands: [
            ObjectListCommand.self, ObjectGetCommand.self, ObjectInsertCommand.self, ObjectUpdateCommand.self,
            ObjectLinkCommand.self, ObjectUnlinkCommand.self, ObjectDeleteCommand.self,
        ]
    )
}

import ArgumentParser

struct ConflictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflict",
        abstract: "Values that lost against writes that their writers had not seen.",
        subcommands: [ConflictListCommand.self, ConflictShowCommand.self, ConflictRestoreCommand.self],
        defaultSubcommand: ConflictListCommand.self
    )
}

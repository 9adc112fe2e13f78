import ArgumentParser

struct WriterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "writer",
        abstract: "Those whose transactions are in the store.",
        subcommands: [
            WriterListCommand.self, WriterEvictCommand.self, WriterAbandonCommand.self, WriterRestampCommand.self,
        ],
        defaultSubcommand: WriterListCommand.self
    )
}

import ArgumentParser

struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Show the model's entities, or write Swift classes for a model.",
        subcommands: [ModelShowCommand.self, ModelGenerateCommand.self],
        defaultSubcommand: ModelShowCommand.self
    )
}

import ArgumentParser

struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Show the model's entities, compare two models, or write Swift classes for one.",
        subcommands: [ModelShowCommand.self, ModelDiffCommand.self, ModelGenerateCommand.self],
        defaultSubcommand: ModelShowCommand.self
    )
}

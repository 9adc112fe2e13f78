import ArgumentParser
import TributaryAdmin
import TributaryClient

struct ModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Show the model's entities, compare two models, or write Swift classes for a model.",
        subcommands: [ModelShowCommand.command, ModelDiffCommand.self, ModelGenerateCommand.self],
        defaultSubcommand: ModelShowCommand.command
    )
}

struct ModelShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show the model's entities.")

    func run(with session: Session) async throws {
        try await session.call(AdminCall(.get, .model), as: ModelMessage.self) { model in
            session.terminal.print("model version \(EscapedText.escape(model.version))")
            for entity in model.entities {
                let kind = entity.abstract ? "abstract entity" : "entity"
                let parent = entity.parent.map { ": \($0)" } ?? ""
                session.terminal.print("")
                session.terminal.print(
                    session.terminal.styled(EscapedText.escape("\(kind) \(entity.name)\(parent)"), .bold)
                )
                for attribute in entity.attributes {
                    let optional = attribute.optional ? "?" : ""
                    session.terminal.print(EscapedText.escape("  \(attribute.name): \(attribute.type)\(optional)"))
                }
                for relationship in entity.relationships {
                    let arrow = relationship.toMany ? (relationship.ordered ? "=>>" : "->>") : "->"
                    let inverse = relationship.inverse.map { ", inverse \($0)" } ?? ""
                    session.terminal.print(
                        EscapedText.escape(
                            "  \(relationship.name) \(arrow) \(relationship.destination)"
                                + " (\(relationship.deleteRule)\(inverse))"
                        )
                    )
                }
            }
        }
    }
}

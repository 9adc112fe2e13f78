import ArgumentParser
import TributaryAdmin

struct WriterAbandonCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "abandon",
        abstract: "Wait no more for a writer's missing transactions.",
        discussion: """
            For transactions that are lost for ever. What others wrote after them is imported at once. What arrives of the
            writer later is applied all the same.
            """
    )

    @Argument(help: "The writer's UUID.")
    var writer: String

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.post, .abandonWriter, writer)
        try await session.call(call, as: WritersMessage.Writer.self) { writer in
            session.terminal.print("\(writer.id) is \(EscapedText.escape(writer.state))")
        }
    }
}

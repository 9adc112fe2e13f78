import ArgumentParser
import TributaryAdmin

struct WriterEvictCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Count no more on what a writer has acknowledged.",
        discussion: """
            For a machine that is gone or away for long. It counts again as soon as something newer of it is applied. What
            it wrote stays.
            """
    )

    @Argument(help: "The writer's UUID.")
    var writer: String

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.post, .evictWriter, writer)
        try await session.call(call, as: WritersMessage.Writer.self) { writer in
            session.terminal.print("\(writer.id) is \(EscapedText.escape(writer.state))")
        }
    }
}

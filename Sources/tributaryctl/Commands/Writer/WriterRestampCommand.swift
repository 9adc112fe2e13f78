import ArgumentParser
import TributaryAdmin

struct WriterRestampCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "restamp",
        abstract: "Go on as a new writer, with right clocks for what is not exported yet.",
        discussion: """
            For a store that saved while its machine's clock was ahead. Set the clock right first. The former writer keeps
            what is exported.
            """
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        try await session.call(AdminCall(.post, .restamp), as: RestampMessage.self) { message in
            session.terminal.print("writer \(message.former) keeps what it has exported, up to \(message.published)")
            session.terminal.print(
                "this store is now \(message.new), with \(CountText.text(Int(clamping: message.reissued), "transaction"))"
            )
        }
    }
}

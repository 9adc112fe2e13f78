import ArgumentParser
import Foundation
import TributaryAdmin

struct WriterListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List writers and how far they are.")

    @OptionGroup var page: PageOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .writers, query: page.query)
        try await session.call(call, as: WritersMessage.self) { message in
            let now = Date().timeIntervalSince1970
            var table = Table("WRITER", "NAME", "STATE", "SEQUENCE", "BEHIND", "LAST HEARD", "LAG", "WAITING")
            for writer in message.writers {
                table.add([
                    writer.id, writer.name, writer.state, String(writer.sequence), writer.behind.map(String.init),
                    writer.lastHeard.map { TimeText.stretch(now - $0) + " ago" },
                    writer.lagSeconds.map(TimeText.stretch), writer.waiting.map { CountText.text($0, "segment") },
                ])
            }
            table.print(on: session.terminal)
            PageOptions.printNext(message.next, on: session.terminal)
        }
    }
}

import ArgumentParser
import TributaryAdmin

struct SegmentListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List segments that are not simply applied, with the reasons.",
        aliases: ["ls"]
    )

    @Option(help: "Only segments in this state.")
    var state: String?

    @Flag(help: "Applied segments too.")
    var all = false

    @OptionGroup var page: PageOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(
            .get,
            .segments,
            query: [("state", state), ("all", all ? "true" : nil)] + page.query
        )
        try await session.call(call, as: SegmentsMessage.self) { message in
            var table = Table("WRITER", "FIRST", "LAST", "STATE", "SINCE", "REASON")
            for segment in message.segments {
                table.add([
                    segment.writer, segment.first, segment.last, segment.state, TimeText.time(segment.since),
                    segment.reason ?? segment.waitingFor?.joined(separator: ", "),
                ])
            }
            table.print(on: session.terminal)
            PageOptions.printNext(message.next, on: session.terminal)
        }
    }
}

import ArgumentParser
import TributaryAdmin

struct SegmentRetryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Look at a segment again."
    )

    @Argument(help: ArgumentHelp("WRITER/FIRST-LAST, as in the folder.", valueName: "segment"))
    var segment: SegmentArgument

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .retrySegment, segment.writer, segment.range))
        session.terminal.print(session.json ? response.text : "the segment is read again")
    }
}

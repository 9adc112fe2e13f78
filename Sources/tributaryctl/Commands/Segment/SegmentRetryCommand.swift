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
        let call = AdminCall(.post, .retrySegment, segment.writer, segment.range)
        try await session.call(call, as: SegmentsMessage.Segment.self) { segment in
            let reason = segment.reason.map { ". " + EscapedText.escape($0) } ?? ""
            session.terminal.print("read again, now \(EscapedText.escape(segment.state))\(reason)")
            if let hint = segment.hint { session.terminal.print("hint: " + session.hints.text(hint)) }
        }
    }
}

import ArgumentParser
import TributaryAdmin

struct SegmentAcceptCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Take a segment that is held because its clock is too far ahead.",
        discussion: """
            What it writes then wins over everything that anybody writes to the same values, until all clocks have
            passed the segment's. A change on this machine that overwrites it gets a clock that is ahead, too, and nothing
            is exported from then on (own-clock-ahead); changes of other values go on as before. Other machines take what
            this one writes from now on when they have taken the segment. Setting the writer's clock right is better, where
            its segments can be written anew.
            """
    )

    @OptionGroup var segment: SegmentArguments

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = try await segment.call(.post, .acceptSegment, in: session)
        try await session.call(call, as: SegmentsMessage.Segment.self) { segment in
            session.terminal.print(
                "accepted by \(EscapedText.escape(segment.acceptedBy ?? "you")), now \(segment.state)"
            )
            if let warning = segment.warning {
                session.terminal.print(session.terminal.styled("warning: ", .yellow) + EscapedText.escape(warning))
            }
        }
    }
}

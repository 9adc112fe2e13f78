import ArgumentParser
import TributaryAdmin

struct SegmentExplainCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show all that is known of a segment, and a hint.",
        aliases: ["show"]
    )

    @OptionGroup var segment: SegmentArguments

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = try await segment.call(.get, .segment, in: session)
        try await session.call(call, as: SegmentsMessage.Segment.self) { segment in
            var lines: [(String, String?)] = [
                ("writer", MissingText.label(segment.writer, segment.writerName)),
                ("sequences", "\(segment.first)-\(segment.last)"),
                ("state", segment.state), ("since", TimeText.time(segment.since)), ("reason", segment.reason),
                ("file", segment.file), ("line", segment.line.map(String.init)),
            ]
            if let missing = segment.missing {
                for line in MissingText.lines(missing) { lines.append(("waits for", line)) }
            } else {
                for waiting in segment.waitingFor ?? [] { lines.append(("waits for", waiting)) }
            }
            for note in segment.notes ?? [] { lines.append(("note", session.hints.text(note))) }
            lines.append(("deferred", segment.deferred.map { CountText.text($0, "value") }))
            let unknown = segment.unknownObjects.map { CountText.text($0, "object") }
            lines.append(("unknown", unknown.map { $0 + " that no segment has inserted yet" }))
            for value in segment.deferredValues ?? [] { lines.append(("  value", value.text)) }
            lines.append(("hint", segment.hint.map(session.hints.text)))
            for case (let label, let text?) in lines {
                let padding = String(repeating: " ", count: 12 - label.count)
                session.terminal.print(session.terminal.styled(label, .faint) + padding + EscapedText.escape(text))
            }
        }
    }
}

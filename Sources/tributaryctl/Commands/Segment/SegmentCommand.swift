import ArgumentParser
import TributaryAdmin

struct SegmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segment",
        abstract: "Segments of the log folder: what is not applied, and why; files without a daemon.",
        subcommands: [
            SegmentListCommand.self, SegmentExplainCommand.self, SegmentRetryCommand.self, SegmentAcceptCommand.self,
            SegmentInspectCommand.self, SegmentVerifyCommand.self, SegmentWriteCommand.self,
        ],
        defaultSubcommand: SegmentListCommand.self
    )
}

/// A segment as its path in the log folder, `WRITER/FIRST-LAST`, or as `segment list` prints it, `WRITER FIRST LAST`.
///
/// The path may have the folder before it and `.tlog` after it; the writer may be given as in ``Session/writer(_:)``.
struct SegmentArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("WRITER/FIRST-LAST, as in the folder, or WRITER FIRST LAST.", valueName: "segment"))
    var words: [String]

    private var parts: (writer: String, range: String)? {
        if words.count == 3 { return (words[0], "\(words[1])-\(words[2])") }
        guard words.count == 1, let path = words.first?.split(separator: "/"), path.count >= 2 else { return nil }
        let name = path[path.count - 1]
        let range = name.hasSuffix(".tlog") ? name.dropLast(5) : name
        return range.split(separator: "-").count == 2 ? (String(path[path.count - 2]), String(range)) : nil
    }

    func validate() throws {
        guard parts == nil else { return }
        throw ValidationError(
            "'\(words.joined(separator: " "))' is no segment: type WRITER/FIRST-LAST or WRITER FIRST LAST"
        )
    }

    func call(_ method: AdminCall.Method, _ path: AdminPath, in session: Session) async throws -> AdminCall {
        guard let parts else { throw ExitStatus.usage }
        return AdminCall(method, path, try await session.writer(parts.writer), parts.range)
    }
}

struct SegmentRetryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Look at a segment again."
    )

    @OptionGroup var segment: SegmentArguments

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = try await segment.call(.post, .retrySegment, in: session)
        try await session.call(call, as: SegmentsMessage.Segment.self) { segment in
            let reason = segment.reason.map { ". " + EscapedText.escape($0) } ?? ""
            session.terminal.print("read again, now \(EscapedText.escape(segment.state))\(reason)")
            if let hint = segment.hint { session.terminal.print("hint: " + session.hints.text(hint)) }
        }
    }
}

import ArgumentParser
import TributaryAdmin
import TributaryClient

struct SegmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segment",
        abstract: "Show why segments of the log folder are not applied; check and write segment files.",
        subcommands: [
            SegmentListCommand.command, SegmentExplainCommand.command, SegmentRetryCommand.command,
            SegmentAcceptCommand.command, SegmentInspectCommand.self, SegmentVerifyCommand.self,
            SegmentSignCommand.self, SegmentWriteCommand.self, SegmentKeysCommand.self,
        ],
        defaultSubcommand: SegmentListCommand.command
    )
}

/// `WRITER/FIRST-LAST` as in the log folder, or `WRITER FIRST LAST` as `segment list` prints it.
///
/// The path may begin with the folder and end with `.tlog`. The writer may be abbreviated as in ``Session/writer(_:)``.
struct SegmentArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("WRITER/FIRST-LAST, as in the folder, or WRITER FIRST LAST.", valueName: "segment"))
    var words: [String]

    private var parts: (writer: String, range: String)? {
        if words.count == 3 { return (words[0], "\(words[1])-\(words[2])") }
        guard words.count == 1, let file = Self.parts(of: words[0], ending: ".tlog") else { return nil }
        return file.name.split(separator: "-").count == 2 ? (file.writer, file.name) : nil
    }

    static func parts(of path: String, ending: String) -> (writer: String, name: String)? {
        let parts = path.split(separator: "/").suffix(2).map(String.init)
        guard parts.count == 2 else { return nil }
        return (parts[0], parts[1].hasSuffix(ending) ? String(parts[1].dropLast(ending.count)) : parts[1])
    }

    func validate() throws {
        guard parts == nil else { return }
        throw ValidationError(
            "'\(words.joined(separator: " "))' is not a segment: type WRITER/FIRST-LAST or WRITER FIRST LAST"
        )
    }

    func call(_ method: AdminCall.Method, _ path: AdminPath, in session: Session) async throws -> AdminCall {
        guard let parts else { throw ExitStatus.usage }
        return AdminCall(method, path, try await session.writer(parts.writer), parts.range)
    }
}

struct SegmentRetryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "retry", abstract: "Look at a segment again.")

    @OptionGroup var segment: SegmentArguments

    func run(with session: Session) async throws {
        let call = try await segment.call(.post, .retrySegment, in: session)
        try await session.call(call, as: SegmentsMessage.Segment.self) { segment in
            let reason = segment.reason.map { ". " + EscapedText.escape($0) } ?? ""
            session.terminal.print("read again, now \(EscapedText.escape(segment.state))\(reason)")
            if let hint = segment.hint { session.terminal.print("hint: " + session.hints.text(hint)) }
        }
    }
}

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

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .segments, query: [("state", state), ("all", all ? "true" : nil)] + page.query)
        try await session.call(call, as: SegmentsMessage.self) { message in
            var table = Table("WRITER", "FIRST", "LAST", "STATE", "NAME", "SINCE", "REASON")
            for segment in message.segments {
                table.add([
                    segment.writer, segment.first, segment.last, segment.state, segment.writerName,
                    TimeText.time(segment.since), segment.reason ?? segment.waitingFor?.joined(separator: ", "),
                ])
            }
            let kind =
                state.map { " that are \(EscapedText.escape($0))" } ?? (all ? "" : " that are not simply applied")
            table.print(on: session.terminal, none: "no segments\(kind)")
            PageOptions.printNext(message.next, on: session.terminal)
        }
    }
}

struct SegmentExplainCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show all that is known of a segment, and a hint.",
        aliases: ["show"]
    )

    @OptionGroup var segment: SegmentArguments

    func run(with session: Session) async throws {
        let call = try await segment.call(.get, .segment, in: session)
        try await session.call(call, as: SegmentsMessage.Segment.self) { segment in
            var lines: [(label: String, text: String?)] = [
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
            session.terminal.print(fields: lines)
        }
    }
}

struct SegmentAcceptCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Take a held segment: its clock is too far ahead, or nobody trusts its key.",
        discussion: """
            A segment with a clock that is ahead wins over all other writes to the same values until all clocks have \
            passed the time of the segment. If this machine overwrites such a value, its change gets a clock that is \
            ahead, too; other machines apply that change after they have applied the segment. Changes of other values \
            are not affected. If the writer can write its segments again, it is better to set its clock right first.
            """
    )

    @OptionGroup var segment: SegmentArguments

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

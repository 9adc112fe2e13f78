import ArgumentParser
import TributaryAdmin
import TributaryClient

struct BaselineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline",
        abstract: "Baselines of the log folder; compact --dry-run lists them.",
        subcommands: [BaselineAcceptCommand.command]
    )
}

struct BaselineAcceptCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Endorse a baseline that no other store can verify.",
        discussion: """
            For transactions that only one store has, because their segments were lost before the others read them. The \
            others cannot verify a baseline that has these transactions. This store compares all that both have. When \
            nothing contradicts, it endorses the baseline, and you vouch for the rest. Then each store that lacks the \
            transactions joins the baseline.

            Ask the people at the machine that made the baseline first. A refusal names the first value that differs.
            """
    )

    @Argument(help: ArgumentHelp("WRITER/SEQUENCE.baseline, as in the folder.", valueName: "file"))
    var file: String

    @Flag(help: "Vouch also for parts that cannot be compared: segments are missing or the model lacks them.")
    var unproven = false

    private var parts: (writer: String, name: String)? { SegmentArguments.parts(of: file, ending: ".baseline") }

    func validate() throws {
        guard parts == nil else { return }
        throw ValidationError("'\(file)' is not a baseline: type WRITER/SEQUENCE.baseline")
    }

    func run(with session: Session) async throws {
        guard let parts else { throw ExitStatus.usage }
        let writer = try await session.writer(parts.writer)
        let query = [("unproven", unproven ? "true" : nil)]
        let call = AdminCall(.post, .acceptBaseline, writer, parts.name, query: query)
        let response = try await session.follow(call, progress: ProgressText.counted)
        try session.show(response) {
            let step = try response.decode(CompactionReport.Step.self)
            let name = EscapedText.escape(step.file ?? file)
            let detail = step.detail.map(EscapedText.escape) ?? "each store that lacks its transactions joins it"
            session.terminal.print((step.result == .verified ? "accepted " : "") + "\(name): \(detail)")
        }
    }
}

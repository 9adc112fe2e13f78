import ArgumentParser
import TributaryAdmin

struct SegmentAcceptCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Take a segment that is held because its clock is too far ahead."
    )

    @Argument(help: ArgumentHelp("WRITER/FIRST-LAST, as in the folder.", valueName: "segment"))
    var segment: SegmentArgument

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let answer = try await session.call(AdminCall(.post, segment.path("accept")))
        session.terminal.print(session.json ? answer.text : "accepted")
    }
}

import ArgumentParser
import TributaryAdmin

struct ConflictRestoreCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Write a losing value again, as a new change.",
        discussion: """
            A value that a deletion has taken away brings its object back, with as many other values as are known.
            """
    )

    @Argument(help: "The number in the list.")
    var number: Int64

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .restoreConflict, String(number)))
        try ChangeRequest(session: session).printResult(response)
    }
}

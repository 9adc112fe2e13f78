import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct WaitCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until what was in the log folder at the daemon's start is imported.",
        discussion: """
            For programs that need a whole store, such as services on a new machine. Segments that cannot be imported, because
            they wait for others or are damaged, are not waited for: status tells of them. While importing is paused, or the
            log folder is not there, the command waits.

            Ends with 75 when the daemon stops.
            """
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        var client = session.client
        // The daemon sends a comment every 15 s.
        client.timeout = max(client.timeout ?? .zero, .seconds(45))
        var isComplete = false
        let response = try await client.events(AdminCall(.get, .changes)) { event in
            switch event.event {
            case "hello":
                let data = try? JSONParser.parse(Array(event.data.utf8))
                isComplete = data?["initialImportComplete"] == .boolean(true)
            case "initialImport": isComplete = true
            case "bye": return false
            default: break
            }
            return !isComplete
        }
        _ = try response.orProblem()
        guard isComplete else {
            throw CommandFailure(reason: "the daemon stopped before the import was complete", status: .tryAgain)
        }
        if session.json { session.terminal.print(#"{"initialImportComplete":true}"#) }
    }
}

import ArgumentParser
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct SyncCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Import what can be imported, merge, export; returns when done.",
        discussion: """
            Shows its progress on standard error when that is a terminal.

            Ends with 75 when a problem kept something from being done, such as a held segment, or a folder with \
            nearly the name of a writer's folder. A baseline that is not used is a problem here only while no other \
            file has its transactions. Ends with 74 when local changes could not be exported: a full disk, a folder \
            without the right to write.
            """
    )

    func run(with session: Session) async throws {
        let response = try await session.follow(AdminCall(.post, .sync), progress: SyncCommand.line)
        let message = try response.decode(SyncMessage.self)
        session.show(response) { printText(message, in: session) }
        guard let problems = message.problems, !problems.isEmpty else { return }
        for problem in problems {
            if session.json {
                session.terminal.complain(EscapedText.escape(problem.detail))
            } else {
                ProblemText.print(problem, in: session)
            }
        }
        throw ExitStatus.tryAgain
    }

    private func printText(_ message: SyncMessage, in session: Session) {
        let terminal = session.terminal
        terminal.print("imported " + amount(message.imported))
        let merged = message.merged
        let counting =
            merged.everything == true ? "; with an object once for each transaction that changed it" : ""
        terminal.print(
            "merged   \(merged.inserted) inserted, \(merged.updated) updated, \(merged.deleted) deleted\(counting)"
        )
        terminal.print("exported " + amount(message.exported))
        for (state, count) in message.remaining.sorted(by: { $0.key < $1.key }) where count > 0 {
            let hint = session.hints.text("tributaryctl segment list --state \(state)")
            terminal.print("\(count) \(EscapedText.escape(state)), to see them: \(hint)")
        }
    }

    private func amount(_ amount: ImportCounts) -> String {
        [
            CountText.text(amount.segments, "segment"), CountText.text(amount.transactions, "transaction"),
            CountText.text(amount.changes, "change"),
        ].joined(separator: ", ")
    }

    private static func line(_ step: JSONValue) -> String {
        let segments = CountText.text(step.count("segments"), "segment")
        let changes = CountText.text(step.count("changes"), "change")
        return "imported \(segments), \(changes); \(step.count("queue")) in the queue"
    }
}

import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct ConflictShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show both writes of a conflict."
    )

    @Argument(help: "The number in the list.")
    var number: Int64

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .conflicts, query: [("limit", "1"), ("after", String(max(number, 1) - 1))])
        let value = try ResponseJSON.parse(try await session.call(call))
        guard case .array(let conflicts)? = value["conflicts"], let found = conflicts.first,
            found["number"] == .integer(number)
        else {
            throw CommandFailure(reason: "the conflict journal has no conflict \(number)", status: .noSuchThing)
        }
        if session.json { return session.terminal.print(found.text) }
        let conflict = ConflictText(found)
        var lines = [
            ("number", conflict.text("number")), ("found", conflict.foundAt), ("object", conflict.object),
            ("property", conflict.text("property")), ("rule", conflict.text("rule")),
        ]
        lines += conflict.lines("losing") + conflict.lines("winning")
        lines.append(("restored", conflict.text("restored").map { "by transaction \($0)" }))
        // A shadow has its values still; it comes back when its key is free.
        if conflict.text("rule") != "uniqueness" {
            lines.append(("hint", session.hints.text("tributaryctl conflict restore \(number)")))
        }
        for case (let label, let text?) in lines {
            let padding = String(repeating: " ", count: 12 - label.count)
            session.terminal.print(session.terminal.styled(label, .faint) + padding + EscapedText.escape(text))
        }
    }
}

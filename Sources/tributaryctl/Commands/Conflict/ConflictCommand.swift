import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct ConflictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflict",
        abstract: "Values that lost against writes that their writers had not seen.",
        subcommands: [ConflictListCommand.self, ConflictShowCommand.self, ConflictRestoreCommand.self],
        defaultSubcommand: ConflictListCommand.self
    )
}

struct ConflictListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List losing values, the oldest first.",
        aliases: ["ls"]
    )

    @OptionGroup var page: PageOptions

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .conflicts, query: page.query)
        let response = try await session.call(call)
        if session.json { return session.terminal.print(response.text) }
        let value = try ResponseJSON.parse(response)
        guard case .array(let conflicts)? = value["conflicts"] else { return }
        var table = Table("NUMBER", "FOUND", "RULE", "OBJECT", "PROPERTY", "WRITER", "RESTORED", "LOSING VALUE")
        for conflict in conflicts.map(ConflictText.init(conflict:)) {
            table.add([
                conflict.text("number"), conflict.foundAt, conflict.text("rule"), conflict.object,
                conflict.text("property"), conflict.writer("losing"), conflict.text("restored"),
                conflict.value("losing"),
            ])
        }
        table.print(on: session.terminal)
        if case .integer(let dropped)? = value["dropped"], dropped > 0 {
            session.terminal.print("not kept: \(dropped)")
        }
        PageOptions.printNext(ResponseJSON.text(value["next"]), on: session.terminal)
    }
}

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
        let conflict = ConflictText(conflict: found)
        var lines: [(label: String, text: String?)] = [
            ("number", conflict.text("number")), ("found", conflict.foundAt), ("object", conflict.object),
            ("property", conflict.text("property")), ("rule", conflict.text("rule")),
        ]
        lines += conflict.lines("losing") + conflict.lines("winning")
        lines.append(("restored", conflict.text("restored").map { "by transaction \($0)" }))
        // A shadow has its values still; it comes back when its key is free.
        if conflict.text("rule") != "uniqueness" {
            lines.append(("hint", session.hints.text("tributaryctl conflict restore \(number)")))
        }
        session.terminal.print(fields: lines)
    }
}

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

struct ConflictText {
    let conflict: JSONValue
    private static let valueLimit = 200

    func text(_ key: String) -> String? { ResponseJSON.text(conflict[key]) }

    var object: String { [text("entity"), text("id")].compactMap(\.self).joined(separator: " ") }

    var foundAt: String? {
        switch conflict["foundAt"] {
        case .double(let seconds)?: TimeText.time(seconds)
        case .integer(let seconds)?: TimeText.time(Double(seconds))
        default: nil
        }
    }

    func writer(_ write: String) -> String? {
        ResponseJSON.text(conflict[write]?["name"]) ?? ResponseJSON.text(conflict[write]?["writer"])
    }

    /// The value as JSON, so that null, a number and a text are told apart; long ones are cut.
    func value(_ write: String) -> String? {
        guard let text = conflict[write]?["value"]?.text else { return nil }
        let limit = ConflictText.valueLimit
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    func lines(_ write: String) -> [(String, String?)] {
        let values = conflict[write]
        let isDeletion = write == "winning" && text("rule") == "deletion"
        return [
            (write, isDeletion ? "deletion" : values?["value"]?.text ?? "not kept"),
            (
                "  writer",
                [writer(write), ResponseJSON.text(values?["writer"])].compactMap(\.self).joined(separator: " ")
            ),
            ("  sequence", ResponseJSON.text(values?["sequence"])),
            ("  clock", ResponseJSON.text(values?["clock"])),
        ]
    }
}

import ArgumentParser
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct ConflictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflict",
        abstract: "Values that lost against writes that their writers had not seen.",
        subcommands: [ConflictListCommand.command, ConflictShowCommand.command, ConflictRestoreCommand.command],
        defaultSubcommand: ConflictListCommand.command
    )
}

struct ConflictListCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List losing values, the oldest first.",
        aliases: ["ls"]
    )

    @OptionGroup var page: PageOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.get, .conflicts, query: page.query))
        try session.show(response) {
            let value = try response.json()
            guard let conflicts = value.elements("conflicts") else { return }
            var table = Table("NUMBER", "FOUND", "RULE", "OBJECT", "PROPERTY", "WRITER", "RESTORED", "LOSING VALUE")
            for conflict in conflicts {
                table.add([
                    conflict.shown("number"), conflict.time("foundAt"), conflict.shown("rule"),
                    ConflictText.object(of: conflict), conflict.shown("property"),
                    ConflictText.writer(of: conflict["losing"]), conflict.shown("restored"),
                    ConflictText.value(of: conflict["losing"]),
                ])
            }
            table.print(on: session.terminal, none: "no conflicts")
            if case .integer(let dropped)? = value["dropped"], dropped > 0 {
                session.terminal.print("not kept: \(dropped)")
            }
            PageOptions.printNext(value.shown("next"), on: session.terminal)
        }
    }
}

struct ConflictShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show both writes of a conflict.")

    @Argument(help: "The number in the list.")
    var number: Int64

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .conflicts, query: [("limit", "1"), ("after", String(max(number, 1) - 1))])
        let found = try await session.call(call).json().elements("conflicts")?.first
        guard let conflict = found, conflict["number"] == .integer(number) else {
            throw CommandFailure(reason: "the conflict journal has no conflict \(number)", status: .noSuchThing)
        }
        if session.json { return session.terminal.print(conflict.text) }
        let rule = conflict.shown("rule")
        var lines: [(label: String, text: String?)] = [
            ("number", conflict.shown("number")), ("found", conflict.time("foundAt")),
            ("object", ConflictText.object(of: conflict)), ("property", conflict.shown("property")), ("rule", rule),
        ]
        lines += ConflictText.lines("losing", conflict["losing"])
        lines += ConflictText.lines("winning", conflict["winning"], isDeletion: rule == "deletion")
        lines.append(("restored", conflict.shown("restored").map { "by transaction \($0)" }))
        // A shadow still has its values, and returns when its key is free.
        if rule != "uniqueness" {
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
            If a deletion has removed the value, its object comes back, with all of its other values that are known.
            """
    )

    @Argument(help: "The number in the list.")
    var number: Int64

    func run(with session: Session) async throws {
        try session.showIDs(of: try await session.call(AdminCall(.post, .restoreConflict, String(number))))
    }
}

private enum ConflictText {
    private static let valueLimit = 200

    static func object(of conflict: JSONValue) -> String {
        [conflict.shown("entity"), conflict.shown("id")].compactMap(\.self).joined(separator: " ")
    }

    static func writer(of write: JSONValue?) -> String? { write?.shown("name") ?? write?.shown("writer") }

    /// JSON distinguishes null, a number and a text.
    static func value(of write: JSONValue?) -> String? {
        guard let text = write?["value"]?.text else { return nil }
        return text.count > valueLimit ? text.prefix(valueLimit) + "…" : text
    }

    static func lines(_ name: String, _ write: JSONValue?, isDeletion: Bool = false) -> [(String, String?)] {
        [
            (name, isDeletion ? "deletion" : write?["value"]?.text ?? "not kept"),
            ("  writer", [writer(of: write), write?.shown("writer")].compactMap(\.self).joined(separator: " ")),
            ("  sequence", write?.shown("sequence")), ("  clock", write?.shown("clock")),
        ]
    }
}

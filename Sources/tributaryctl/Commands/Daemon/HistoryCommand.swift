import ArgumentParser
import TributaryAdmin
import TributaryChanges

struct HistoryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List transactions and what they changed."
    )

    @Option(help: ArgumentHelp("Only what came after this token.", valueName: "token"))
    var after: String?

    @Option(help: "How many, at most 1000.")
    var limit: Int?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .history, query: [("after", after), ("limit", limit.map(String.init))])
        let response = try await session.call(call)
        if session.json { return session.terminal.print(response.text) }
        let value = try ResponseJSON.parse(response)
        guard case .array(let transactions)? = value["transactions"] else { return }
        var table = Table("NUMBER", "TIME", "AUTHOR", "WRITER", "CHANGES")
        for transaction in transactions {
            table.add([
                ResponseJSON.text(transaction["number"]), TimeText.time(seconds(transaction["committedAt"])),
                ResponseJSON.text(transaction["author"]), ResponseJSON.text(transaction["writer"]),
                changes(of: transaction),
            ])
        }
        table.print(on: session.terminal)
        if let token = ResponseJSON.text(value["token"]) { session.terminal.print("token: \(token)") }
    }

    private func seconds(_ value: JSONValue?) -> Double? {
        switch value {
        case .double(let seconds): seconds
        case .integer(let seconds): Double(seconds)
        default: nil
        }
    }

    /// Returns a text such as `2 inserted, 1 updated`.
    private func changes(of transaction: JSONValue) -> String {
        guard case .array(let changes)? = transaction["changes"] else { return "" }
        let words = [("insert", "inserted"), ("update", "updated"), ("delete", "deleted")]
        let parts = words.compactMap { kind, word -> String? in
            let count = changes.count { $0["kind"] == .string(kind) }
            return count > 0 ? "\(count) \(word)" : nil
        }
        if transaction["more"] == .boolean(true) { return (parts + ["more on the next page"]).joined(separator: ", ") }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

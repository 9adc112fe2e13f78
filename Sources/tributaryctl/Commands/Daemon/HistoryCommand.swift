import ArgumentParser
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct HistoryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the newest transactions, or those after a token, and what they changed."
    )

    @Option(help: ArgumentHelp("Only what came after this token.", valueName: "token"))
    var after: String?

    @Option(name: [.customShort("n"), .long], help: "How many, at most 1000; by default 100.")
    var limit: Int?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        var (start, transactions, token) = (after, [JSONValue](), JSONValue.null)
        let count = limit ?? 100
        if start == nil { start = try await tokenBefore(count, in: session) }
        while true {
            let call = AdminCall(.get, .history, query: [("after", start), ("limit", String(count))])
            let response: AdminResponse
            do {
                response = try await session.call(call)
            } catch let problem as ProblemDocument where after == nil && start != nil && problem.status == 410 {
                // The history does not reach back so far.
                start = nil
                continue
            }
            let value = try ResponseJSON.parse(response)
            guard case .array(let page)? = value["transactions"] else { return }
            // The next page of a given token is left to the next command.
            guard after == nil else {
                if session.json { return session.terminal.print(response.text) }
                (transactions, token) = (page, value["token"] ?? .null)
                break
            }
            transactions = (transactions + page).suffix(count)
            token = value["token"] ?? .null
            start = ResponseJSON.text(value["next"])
            if start == nil { break }
        }
        if session.json {
            let members = [
                JSONMember(key: "transactions", value: .array(transactions)), JSONMember(key: "token", value: token),
            ]
            return session.terminal.print(JSONValue.object(members).text)
        }
        var table = Table("NUMBER", "TIME", "AUTHOR", "WRITER", "CHANGES")
        for transaction in transactions {
            table.add([
                ResponseJSON.text(transaction["number"]), TimeText.time(seconds(transaction["committedAt"])),
                ResponseJSON.text(transaction["author"]), ResponseJSON.text(transaction["writer"]),
                changes(of: transaction),
            ])
        }
        table.print(on: session.terminal)
        if let token = ResponseJSON.text(token) { session.terminal.print("token: \(token)") }
    }

    /// Returns the token of which at least the newest `count` transactions come after; nil for all of the history.
    private func tokenBefore(_ count: Int, in session: Session) async throws -> String? {
        var token: [Substring] = []
        _ = try await session.client.events(AdminCall(.get, .changes)) { event in
            guard event.event == "hello" else { return true }
            let data = try? JSONParser.parse(Array(event.data.utf8))
            token = ResponseJSON.text(data?["token"])?.split(separator: "@") ?? []
            return false
        }.orProblem()
        guard token.count == 2, let number = Int64(token[0]), number > count else { return nil }
        return "\(number - Int64(count))@\(token[1])"
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

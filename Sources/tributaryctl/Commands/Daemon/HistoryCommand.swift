import ArgumentParser
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct HistoryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the newest transactions, or the transactions after a token, with their changes."
    )

    @Option(help: ArgumentHelp("Only transactions after this token.", valueName: "token"))
    var after: String?

    @Option(name: [.customShort("n"), .long], help: "How many, at most 1000; by default 100.")
    var limit: Int?

    /// The changes of a transaction may come in several pages.
    private struct Row {
        var transaction: JSONValue
        var counts: [String: Int] = [:]
        var goesOn = false
    }

    func run(with session: Session) async throws {
        let count = limit ?? 100
        // A program gets the daemon's unchanged answer, and continues with its `next`.
        let isOnePage = after != nil || session.json
        var (start, rows, token) = (after, [Row](), String?.none)
        if !isOnePage { start = try await tokenBefore(count, in: session) }
        while true {
            let call = AdminCall(.get, .history, query: [("after", start), ("limit", String(count))])
            let response: AdminResponse
            do {
                response = try await session.call(call)
            } catch let problem as ProblemDocument where !isOnePage && start != nil && problem.status == 410 {
                // The history does not reach back so far.
                start = nil
                continue
            }
            if session.json { return session.terminal.print(response.text) }
            let value = try response.json()
            for transaction in value.elements("transactions") ?? [] { add(transaction, to: &rows) }
            rows = rows.suffix(count)
            (token, start) = (value.shown("token"), value.shown("next"))
            if isOnePage || start == nil { break }
        }
        let names = rows.isEmpty ? [:] : try await names(in: session)
        var table = Table("NUMBER", "TIME", "AUTHOR", "WRITER", "CHANGES")
        for row in rows {
            let transaction = row.transaction
            table.add([
                transaction.shown("number"), transaction.time("committedAt"), transaction.shown("author"),
                transaction.shown("writer").map { names[$0] ?? $0 }, changes(of: row),
            ])
        }
        table.print(on: session.terminal, none: "no transactions" + (after == nil ? "" : " after this token"))
        if let token { session.terminal.print("token: \(token)") }
    }

    private func names(in session: Session) async throws -> [String: String] {
        var names: [String: String] = [:]
        for store in try await session.writers(where: { $0.name != nil }) {
            for id in [store.id, store.writer].compactMap(\.self) {
                names[id] = store.name.map { "\($0) (\(id.prefix(8)))" }
            }
        }
        return names
    }

    private func add(_ transaction: JSONValue, to rows: inout [Row]) {
        if rows.last?.transaction["number"] != transaction["number"] { rows.append(Row(transaction: transaction)) }
        let last = rows.count - 1
        rows[last].goesOn = transaction["more"] == .boolean(true)
        for kind in (transaction.elements("changes") ?? []).compactMap({ $0.shown("kind") }) {
            rows[last].counts[kind, default: 0] += 1
        }
    }

    /// Returns a token that is followed by at least the newest `count` transactions, or nil for the whole history.
    private func tokenBefore(_ count: Int, in session: Session) async throws -> String? {
        var token: [Substring] = []
        _ = try await session.client.events(AdminCall(.get, .changes)) { event in
            guard event.event == "hello" else { return true }
            token = event.json?.shown("token")?.split(separator: "@") ?? []
            return false
        }.orProblem()
        guard token.count == 2, let number = Int64(token[0]), number > count else { return nil }
        return "\(number - Int64(count))@\(token[1])"
    }

    private func changes(of row: Row) -> String {
        let words = [("insert", "inserted"), ("update", "updated"), ("delete", "deleted")]
        var parts = words.compactMap { kind, word in row.counts[kind].map { "\($0) \(word)" } }
        if row.goesOn { parts.append("more on the next page") }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

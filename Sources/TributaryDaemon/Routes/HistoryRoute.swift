import Hummingbird
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `GET /v1/history`: transactions after a token, and the next token.
enum HistoryRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let limit = try request.query.limit()
        let given = request.query["after"]
        var after: Int64?
        if let given { after = try await TokenArgument.number(given, engine: engine) }
        let page = try await engine.read { [after] reader in
            let start = try after ?? reader.history.oldestNumber()
            let transactions = try reader.history.transactions(after: start, limit: limit + 1)
            return (start: start, transactions: transactions)
        }
        let shown = page.transactions.prefix(limit)
        let last = HistoryToken(store: engine.tokenWriter, number: shown.last?.number ?? page.start)
        var members = [
            JSONMember(key: "transactions", value: .array(shown.map(transaction))),
            JSONMember(key: "token", value: .string(last.text)),
        ]
        if page.transactions.count > limit { members.append(JSONMember(key: "next", value: .string(last.text))) }
        return .json(.object(members))
    }

    private static func transaction(_ transaction: HistoryTransaction) -> JSONValue {
        var members = [
            JSONMember(key: "number", value: .integer(transaction.number)),
            JSONMember(key: "writer", value: .string(transaction.writer.description)),
            JSONMember(key: "sequence", value: .integer(Int64(clamping: transaction.sequence))),
            JSONMember(key: "clock", value: .string(transaction.clock.description)),
        ]
        if let author = transaction.author { members.append(JSONMember(key: "author", value: .string(author))) }
        members.append(JSONMember(key: "committedAt", value: .double(transaction.committedAt.unixSeconds)))
        members.append(JSONMember(key: "changes", value: .array(transaction.changes.map(change))))
        return .object(members)
    }

    private static func change(_ change: HistoryTransaction.Change) -> JSONValue {
        .object([
            JSONMember(key: "kind", value: .string(change.kind.rawValue)),
            JSONMember(key: "entity", value: .string(change.id.entity)),
            JSONMember(key: "id", value: .string(change.id.uniqueID.description)),
            JSONMember(key: "properties", value: .array(change.properties.map(JSONValue.string))),
        ])
    }
}

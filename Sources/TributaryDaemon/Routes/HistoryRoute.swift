import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `GET /v1/history`: a page is limited by its changes, so a long transaction comes in several pages.
enum HistoryRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let limit = try request.query.limit()
        let given = request.query["after"]
        var after: Int64?
        // Within a transaction, `next` is a token, `:`, and the number of its changes in earlier pages.
        let parts = given?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
        if let token = parts.first { after = try await TokenArgument.number(token, engine: engine) }
        guard let skipped = parts.count < 2 ? 0 : Int(parts[1]), skipped >= 0 else {
            throw ProblemDocument(.badRequest, detail: "'after' must be the 'next' or a token of an earlier answer")
        }
        let (start, page) = try await engine.read { [after] reader in
            let start = try after ?? reader.history.oldestNumber()
            let page = try reader.history.page(
                after: start,
                skipping: skipped,
                limit: limit,
                changeLimit: changeLimit,
                byteLimit: QueryParameters.byteLimit
            )
            return (start, page)
        }
        // The token does not yet cover a transaction that continues on the next page.
        let whole = page.cut == nil ? page.transactions[...] : page.transactions.dropLast()
        let token = HistoryToken(store: engine.historyName, number: whole.last?.number ?? start)
        var shown = whole.map { transaction($0) }
        if page.cut != nil, let last = page.transactions.last { shown.append(transaction(last, goesOn: true)) }
        let next = token.text + (page.cut.map { ":\($0)" } ?? "")
        return .json(
            .members([
                "transactions": .array(shown), "token": .string(token.text),
                "next": page.hasMore ? .string(next) : nil,
            ])
        )
    }

    private static let changeLimit = 10_000

    private static func transaction(_ transaction: HistoryTransaction, goesOn: Bool = false) -> JSONValue {
        .members([
            "number": .integer(transaction.number), "writer": .string(transaction.writer.description),
            "sequence": .count(transaction.sequence), "clock": .string(transaction.clock.description),
            "author": transaction.author.map(JSONValue.string),
            "committedAt": .double(transaction.committedAt.unixSeconds),
            "changes": .array(transaction.changes.map(change)), "more": goesOn ? .boolean(true) : nil,
        ])
    }

    private static func change(_ change: HistoryTransaction.Change) -> JSONValue {
        .members([
            "kind": .string(change.kind.rawValue), "entity": .string(change.id.entity),
            "id": .string(change.id.uniqueID.description),
            "properties": .array(change.properties.map(JSONValue.string)),
        ])
    }
}

enum TokenArgument {
    static func number(_ text: String, engine: Engine) async throws -> Int64 {
        guard let token = HistoryToken(text: text) else {
            throw ProblemDocument(.badRequest, detail: "'\(text)' is not a token")
        }
        guard token.store == engine.historyName else { throw expired("the token '\(text)' is of another store") }
        let oldest = try await engine.read { try $0.history.oldestNumber() }
        // A committed transaction that is not merged yet already has a token.
        let newest = try engine.container.store.read { try $0.history.newestTransaction() }
        guard token.number >= oldest else { throw expired("the history after the token '\(text)' has been purged") }
        guard token.number <= newest else { throw expired("the token '\(text)' is newer than the store") }
        return token.number
    }

    private static func expired(_ detail: String) -> ProblemDocument {
        ProblemDocument(
            .expired,
            detail: detail,
            hint: "fetch the objects again, then follow the changes from now on (without 'after')"
        )
    }
}

extension HistoryToken {
    /// The token as text: the number, `@`, and the store's writer.
    var text: String { "\(number)@\(store)" }

    init?(text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), number >= 0, !parts[1].isEmpty else { return nil }
        self.init(store: String(parts[1]), number: number)
    }
}

import HTTPTypes
import Hummingbird
import Synchronization
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `POST /v1/transactions`: applies all changes or none, with delete rules and validation, and responds after the
/// merge.
enum TransactionsRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let key = try idempotencyKey(request)
        let changes = Mutex(try changes(in: try await request.json(), store: engine.container.store))
        if let key, let response = try known(key, engine: engine) {
            return try await repeated(response, engine: engine)
        }
        let ids = changes.withLock { $0.map(\.change.id) }
        let idempotency = key.map { key in
            LocalTransaction.Idempotency(key: key, detail: ids.lazy.map(\.description).joined(separator: " "))
        }
        let context = engine.container.newBackgroundContext(
            name: "admin",
            author: request.caller.name,
            mergePolicy: .objectTrump
        )
        do {
            let token = try await context.perform { context throws(any Error) in
                // The save needs the memory of the changes, which the context has now.
                _ = try context.apply(changes.withLock { exchange(&$0, with: []) }, idempotency: idempotency)
                try context.save()
                return context.lastSaveToken
            }
            return try await response(number: token?.number, ids: ids.map(\.description), engine: engine)
        } catch let first as RepeatedRequest {
            return try await repeated((first.number, first.detail), engine: engine)
        } catch {
            // Another connection may have sent the request with this key meanwhile.
            if let key, let first = try known(key, engine: engine) { return try await repeated(first, engine: engine) }
            throw error
        }
    }

    private static func idempotencyKey(_ request: AdminRequest) throws(ProblemDocument) -> String? {
        guard let name = HTTPField.Name("Idempotency-Key"), let text = request.request.headers[name] else { return nil }
        guard let key = UniqueID(text.trimmingPrefix("\"").replacing("\"", with: "")) else {
            throw ProblemDocument(.badRequest, detail: "the Idempotency-Key '\(text.prefix(80))' is not a UUID")
        }
        return key.description
    }

    private static func changes(in body: consuming JSONValue, store: Store) throws -> [ConditionalChange] {
        guard case .array(var values)? = body["changes"], !values.isEmpty else {
            throw ProblemDocument(.badRequest, detail: "the body must be {\"changes\": [one change or more]}")
        }
        body = .null
        var changes: [ConditionalChange] = []
        changes.reserveCapacity(values.count)
        for index in values.indices {
            // The changes need the memory of the body.
            let value = exchange(&values[index], with: .null)
            do {
                let parsed = try ParsedChange(value)
                try check(value, parsed.verb, index)
                let version = try version(parsed.ifVersion)
                let change = parsed.change(newID: store.configuration.environment.newID())
                changes.append(ConditionalChange(change, ifVersion: version))
            } catch let error as JSONError {
                var problem = ProblemDocument(.badRequest, detail: "change \(index): \(error.reason)")
                problem.index = index
                throw problem
            }
        }
        return changes
    }

    private static func check(_ value: JSONValue, _ verb: ParsedChange.Verb, _ index: Int) throws(ProblemDocument) {
        let members: Set<String> =
            switch verb {
            case .insert, .update: ["values"]
            case .delete: []
            case .link: ["to", "ids", "positions"]
            case .unlink: ["to", "ids"]
            }
        do throws(ProblemDocument) {
            let known = members.union([verb.rawValue, "id", "ifVersion"])
            try value.check(members: known, of: "change \(index)", at: "'\(verb.rawValue)'")
        } catch {
            var problem = error
            problem.index = index
            throw problem
        }
    }

    private static func version(_ value: JSONValue?) throws(JSONError) -> Int64? {
        switch value {
        case nil, .null: return nil
        case .integer(let version): return version
        case let other?: throw JSONError(offset: 0, reason: "'ifVersion' is \(other.kind), not an integer")
        }
    }

    // MARK: Answering

    private static func known(_ key: String, engine: Engine) throws -> (number: Int64, detail: String)? {
        try engine.container.store.read { try $0.history.idempotent(key: key) }
    }

    private static func repeated(_ first: (number: Int64, detail: String), engine: Engine) async throws -> Response {
        let ids = first.detail.split(separator: " ").map(String.init)
        return try await response(number: first.number, ids: ids, engine: engine)
    }

    /// Returns the response; `number` is nil when the changes were already in effect, so that nothing was written.
    static func response(number: Int64?, ids: [String], engine: Engine) async throws -> Response {
        if let number {
            let token = HistoryToken(store: engine.tokenWriter, number: number)
            await engine.container.mergePendingChanges(through: token)
        }
        let token = number.map { HistoryToken(store: engine.tokenWriter, number: $0) } ?? engine.token
        return .json(
            .object([
                JSONMember(key: "transaction", value: .integer(token.number)),
                JSONMember(key: "token", value: .string(token.text)),
                JSONMember(key: "ids", value: .array(ids.map(JSONValue.string))),
            ])
        )
    }
}

import HTTPTypes
import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

/// `POST /v1/transactions`: applies all changes or none, and responds after the merge.
enum TransactionsRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let key = try idempotencyKey(request)
        let author = request.caller.name
        let body = try await request.body()
        return try await engine.container.request {
            let (number, ids) = try await save(body, key: key, author: author, engine: engine)
            return try await response(number: number, ids: ids, engine: engine)
        }
    }

    /// The number is nil when the changes were already in effect, so that nothing was written.
    static func save(
        _ body: [UInt8],
        key: String?,
        author: String?,
        engine: Engine
    ) async throws -> (number: Int64?, ids: [UniqueID]) {
        let model = engine.container.store.model
        let counts = try check(body, model)
        if let key, let first = try known(key, engine: engine) { return first }
        let newID = engine.container.store.configuration.environment.newID
        let context = engine.container.newBackgroundContext(name: "admin", author: author, mergePolicy: .objectTrump)
        do {
            return try await context.perform { context throws(any Error) in
                let ids = try context.save(size: body.count, counts, idempotencyKey: key) { take in
                    _ = try AdminRequest.json(body, members: members, listing: list) { value in
                        let parsed = try ParsedChange(value)
                        let id = try derivedID(of: parsed, model) ?? newID()
                        try take(ConditionalChange(parsed.change(newID: id), ifVersion: version(parsed.ifVersion)))
                    }
                }
                return (context.lastSaveToken?.number, ids)
            }
        } catch {
            // Another connection may have sent the request with this key meanwhile.
            if let key, let first = try known(key, engine: engine) { return first }
            if let error = error as? ChangeError { throw ProblemMapping.problem(of: error, in: model) }
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

    private static let list = "changes"
    private static let members: Set<String> = [list]

    private static func check(_ body: [UInt8], _ model: Model) throws -> (all: Int, inserts: Int, deletions: Int) {
        var counts = (all: 0, inserts: 0, deletions: 0)
        var problem: ProblemDocument?
        _ = try AdminRequest.json(body, members: members, listing: list) { value in
            defer { counts.all += 1 }
            guard problem == nil else { return }
            do {
                let parsed = try ParsedChange(value)
                try check(value, parsed.verb, counts.all)
                guard model.entity(named: parsed.entity) != nil else {
                    problem = ProblemDocument(.invalid, detail: ObjectsRoute.unknownEntity(parsed.entity, in: model))
                    problem?.index = counts.all
                    return
                }
                _ = try version(parsed.ifVersion)
                _ = try derivedID(of: parsed, model)
                if parsed.verb == .insert { counts.inserts += 1 }
                if parsed.verb == .delete { counts.deletions += 1 }
            } catch let error as JSONError {
                problem = ProblemDocument(.badRequest, detail: "change \(counts.all): \(error.reason)")
                problem?.index = counts.all
            } catch let error as ProblemDocument {
                problem = error
            }
        }
        if let problem { throw problem }
        guard counts.all > 0 else {
            throw ProblemDocument(.badRequest, detail: "the body must be {\"changes\": [one change or more]}")
        }
        return counts
    }

    private static func check(_ value: JSONValue, _ verb: ParsedChange.Verb, _ index: Int) throws(ProblemDocument) {
        let members: Set<String> =
            switch verb {
            case .insert: value["id"] == nil ? ["values", "identity"] : ["values"]
            case .update: ["values"]
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

    /// From the natural key of an insert; nil for other changes.
    private static func derivedID(of change: ParsedChange, _ model: Model) throws(JSONError) -> UniqueID? {
        guard !change.identity.isEmpty, let entity = model.entity(named: change.entity) else { return nil }
        do {
            return try entity.identifier(by: change.identity, in: change.writes)
        } catch {
            throw JSONError(error.reason)
        }
    }

    private static func version(_ value: JSONValue?) throws(JSONError) -> Int64? {
        switch value {
        case nil, .null: return nil
        case .integer(let version): return version
        case let other?: throw JSONError("'ifVersion' is \(other.kind), not an integer")
        }
    }

    // MARK: Answering

    private static func known(_ key: String, engine: Engine) throws -> (number: Int64?, ids: [UniqueID])? {
        let first = try engine.container.store.read { try $0.history.idempotent(key: key) }
        return first.map { ($0.number, $0.detail.split(separator: " ").compactMap { UniqueID(String($0)) }) }
    }

    static func response(number: Int64?, ids: [UniqueID], engine: Engine) async throws -> Response {
        if let number {
            let token = HistoryToken(store: engine.historyName, number: number)
            await engine.container.mergePendingChanges(through: token)
        }
        let token = number.map { HistoryToken(store: engine.historyName, number: $0) } ?? engine.token
        var bytes = Array("{\"transaction\":\(token.number),\"token\":".utf8)
        JSONValue.string(token.text).write(to: &bytes)
        bytes += ",\"ids\":[".utf8
        for (index, id) in ids.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(quoted: id)
        }
        bytes += "]}".utf8
        return .bytes(bytes, type: "application/json")
    }
}

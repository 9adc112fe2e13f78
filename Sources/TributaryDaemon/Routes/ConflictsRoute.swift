import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// The conflict journal: `GET /v1/conflicts` lists it, `POST …/restore` writes a losing value again.
enum ConflictsRoute {
    static func list(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let limit = try request.query.limit()
        let after = try request.query["after"].map(number) ?? 0
        let (page, counts) = try await engine.read { reader in
            (
                try reader.conflicts.page(after: after, limit: limit, byteLimit: QueryParameters.byteLimit),
                try reader.conflicts.counts()
            )
        }
        let next = page.hasMore ? page.found.last.map { JSONValue.string(String($0.number)) } : nil
        return .json(
            .members([
                "conflicts": .array(page.found.map(\.json)), "dropped": .count(counts.dropped), "next": next,
            ])
        )
    }

    static func restore(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let number = try number(try request.parameter("number"))
        let change = try await change(restoring: number, engine: engine)
        let context = engine.container.newBackgroundContext(
            name: "admin",
            author: request.caller.name,
            mergePolicy: .objectTrump
        )
        let token = try await context.perform { context throws(any Error) in
            _ = try context.apply([ConditionalChange(change)], restoredConflict: number)
            try context.save()
            return context.lastSaveToken
        }
        return try await TransactionsRoute.response(number: token?.number, ids: [change.id], engine: engine)
    }

    private static func change(restoring number: Int64, engine: Engine) async throws -> Change {
        do {
            let change = try await engine.read { reader in
                try reader.conflicts.conflict(number).map { try ConflictRestoration($0, reader: reader).change() }
            }
            if let change { return change }
        } catch let refusal as ConflictRestoration.Refusal {
            throw ProblemDocument(.blocked, detail: "conflict \(number) cannot be restored: \(refusal.reason)")
        }
        throw ProblemDocument(
            .notFound,
            detail: "the conflict journal has no conflict \(number)",
            hint: "tributaryctl conflict list"
        )
    }

    private static func number(_ text: String) throws(ProblemDocument) -> Int64 {
        guard let number = Int64(text), number >= 0 else {
            throw ProblemDocument(.badRequest, detail: "'\(text)' is not the number of a conflict")
        }
        return number
    }
}

extension Conflict {
    var json: JSONValue {
        .members([
            "number": .integer(number), "foundAt": .double(foundAt), "kind": .string(kind.rawValue),
            "rule": .string(rule.name), "entity": .string(entity), "id": .string(id.description),
            "property": .string(property), "losing": losing.json, "winning": winning.json,
            "restored": restored.map(JSONValue.integer),
        ])
    }
}

extension Conflict.Write {
    fileprivate var json: JSONValue {
        .members([
            "writer": .string(version.writer.description), "name": writerName.map(JSONValue.string),
            "sequence": .count(sequence), "clock": .string(version.clock.description), "value": value,
        ])
    }
}

import Hummingbird
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

/// `GET /v1/objects/{Entity}`: fetches at the main context's query generation; a list ends early when it becomes large.
enum ObjectsRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let entity = try entity(named: request.parameter("entity"), in: engine.container.model)
        let limit = try request.query.limit()
        let offset = try offset(request.query["after"])
        var query = try fetchQuery(request.query, entity, engine.container.model)
        query.predicate = query.predicate.map(engine.container.resolvingNow)
        if try request.query.flag("count") {
            var all = query
            all.limit = nil
            all.offset = 0
            let count = try await engine.read { [all] in try $0.count(all) }
            return .json(.object([JSONMember(key: "count", value: .integer(Int64(count)))]))
        }
        let shape = try ObjectJSON(model: engine.container.model, entity: entity, include: request.query["include"])
        let response = try await engine.read { [query] reader in
            let (rows, isCut) = try reader.rows(query, upTo: QueryParameters.byteLimit)
            let (objects, included) = try shape.page(of: Array(rows.prefix(limit)), in: reader)
            var members = [JSONMember(key: "objects", value: .array(objects))]
            if !shape.include.isEmpty { members.append(JSONMember(key: "included", value: .array(included))) }
            if isCut || rows.count > objects.count {
                members.append(JSONMember(key: "next", value: .string(String(offset + objects.count))))
            }
            return JSONValue.object(members)
        }
        return .json(response)
    }

    /// Parses the parameters of a fetch; it fetches one object more than `limit`, which tells whether there are more.
    static func fetchQuery(
        _ parameters: QueryParameters,
        _ entity: Entity,
        _ model: Model
    ) throws(ProblemDocument) -> FetchQuery {
        FetchQuery(
            entity: entity,
            predicate: try predicate(parameters["where"], entity, model),
            sortKeys: try sortKeys(parameters["sort"], entity, model),
            limit: try parameters.limit() + 1,
            offset: try offset(parameters["after"])
        )
    }

    static func entity(named name: String, in model: Model) throws(ProblemDocument) -> Entity {
        guard let entity = model.entity(named: name) else {
            throw ProblemDocument(
                .unknownEntity,
                detail: "the model '\(model.version)' has no entity '\(name)'",
                hint: "To see the entities: tributaryctl model show"
            )
        }
        return entity
    }

    /// Parses and binds the predicate here, before the store is read, to respond with the position of an error.
    private static func predicate(
        _ text: String?,
        _ entity: Entity,
        _ model: Model
    ) throws(ProblemDocument) -> ObjectPredicate? {
        guard let text, !text.isEmpty else { return nil }
        do throws(ObjectPredicateError) {
            let predicate = try ObjectPredicate(parsing: text)
            _ = try predicate.bind(to: entity, in: model)
            return predicate
        } catch {
            throw problem(.badPredicate, error.located(in: text))
        }
    }

    /// Parses sort keys such as `name,-salary`; the store appends the ID.
    private static func sortKeys(
        _ text: String?,
        _ entity: Entity,
        _ model: Model
    ) throws(ProblemDocument) -> [SortKey] {
        guard let text, !text.isEmpty else { return [] }
        do throws(ObjectPredicateError) {
            let keys = try SortKey.parse(text)
            for key in keys { _ = try key.bind(to: entity, in: model) }
            return keys
        } catch {
            throw problem(.badRequest, error.located(in: text), prefix: "sort: ")
        }
    }

    private static func problem(
        _ kind: ProblemKind,
        _ error: ObjectPredicateError,
        prefix: String = ""
    ) -> ProblemDocument {
        var problem = ProblemDocument(kind, detail: "\(prefix)\(error)")
        problem.position = error.position
        return problem
    }

    static func offset(_ text: String?) throws(ProblemDocument) -> Int {
        guard let text else { return 0 }
        guard let offset = Int(text), offset >= 0 else {
            throw ProblemDocument(.badRequest, detail: "'after' must be what an answer gave as 'next'")
        }
        return offset
    }
}

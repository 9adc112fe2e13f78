import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

/// `GET /v1/objects/{Entity}`: fetches at the main context's query generation; a large list ends early.
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
            return .json(.members(["count": .count(count)]))
        }
        let shape = try ObjectJSON(model: engine.container.model, entity: entity, include: request.query["include"])
        let response = try await engine.read { [query] reader in
            let (rows, isCut) = try reader.rows(query, upTo: QueryParameters.byteLimit)
            let (objects, included) = try shape.page(of: Array(rows.prefix(limit)), in: reader)
            let hasMore = isCut || rows.count > objects.count
            return JSONValue.members([
                "objects": .array(objects), "included": shape.include.isEmpty ? nil : .array(included),
                "next": hasMore ? .string(String(offset + objects.count)) : nil,
            ])
        }
        return .json(response)
    }

    /// Fetches one object more than `limit`, to find out whether there are more.
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
                detail: unknownEntity(name, in: model),
                hint: "To see the entities: tributaryctl model show"
            )
        }
        return entity
    }

    static func unknownEntity(_ name: String, in model: Model) -> String {
        "the model '\(model.version)' has no entity '\(name)'"
            + .question(meaning: name.nearest(in: model.entities.map(\.name)))
    }

    /// Before the store is read, to respond with the position of an error.
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

    /// Such as `name,-salary`; the store appends the ID.
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
            throw ProblemDocument(.badRequest, detail: "'after' must be the 'next' of an earlier answer")
        }
        return offset
    }
}

enum ObjectRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let entity = try ObjectsRoute.entity(named: request.parameter("entity"), in: engine.container.model)
        let id = try request.parameter("id")
        var shape = try ObjectJSON(model: engine.container.model, entity: entity, include: request.query["include"])
        shape.page.limit = try request.query.limit(usual: QueryParameters.largestLimit)
        shape.page.offset = try ObjectsRoute.offset(request.query["after"])
        let found = try await engine.read { [shape] reader -> JSONValue? in
            guard let id = try Self.id(id, of: entity, in: reader),
                let row = try reader.row(id, rootEntity: entity.root), row.entity.isKind(of: entity.name)
            else { return nil }
            let (objects, included) = try shape.page(of: [row], in: reader)
            guard case .object(var members)? = objects.first else { return nil }
            if !shape.include.isEmpty { members.append(JSONMember(key: "included", value: .array(included))) }
            return .object(members)
        }
        guard let found else {
            throw ProblemDocument(.notFound, detail: "no \(entity.name) has the ID \(id)")
        }
        return .json(found)
    }

    private static let prefixLimit = 1_000

    /// The ID for a complete ID in a path, or for at least its first 8 characters; nil when no object has it.
    private static func id(_ given: String, of entity: Entity, in reader: Reader) throws -> UniqueID? {
        if let id = UniqueID(given) { return id }
        guard let range = UniqueID.range(ofPrefix: given) else {
            throw ProblemDocument(
                .badRequest,
                detail: "'\(given.prefix(80))' is neither a UUID nor its first 8 characters or more"
            )
        }
        let kinds = Set([entity.name] + entity.subentities)
        let found = try reader.objectIDs(in: range, rootEntity: entity.root, limit: prefixLimit)
        let fitting = found.filter { kinds.contains($0.entity) }
        guard fitting.count < 2, found.count < prefixLimit else {
            throw ProblemDocument(
                .badRequest,
                detail: "the IDs of several objects begin with '\(given)'",
                hint: "Give more of the ID. To see the IDs: tributaryctl object list \(entity.name.shellWord)"
            )
        }
        return fitting.first?.uniqueID
    }
}

struct ObjectJSON: Sendable {
    let model: Model
    /// Relationships with included objects; a to-many relationship is listed with the IDs of its objects.
    let include: [String]
    var page: (offset: Int, limit: Int) = (0, QueryParameters.largestLimit)

    init(model: Model, entity: Entity, include: String?) throws(ProblemDocument) {
        self.model = model
        self.include = (include ?? "").split(separator: ",").map(String.init)
        let kinds = [entity] + entity.subentities.compactMap { model.entity(named: $0) }
        for name in self.include where !kinds.contains(where: { $0.property(named: name)?.relationship != nil }) {
            throw ProblemDocument(.badRequest, detail: "\(entity.name) has no relationship '\(name)' to include")
        }
    }

    func object(of row: Row, in reader: Reader) throws -> JSONValue {
        var hasMore = false
        let values = try values(of: row, in: reader, &hasMore)
        return .members([
            "id": .string(row.id.uniqueID.description), "entity": .string(row.entity.name),
            "version": .integer(row.revision), "values": .object(values),
            "next": hasMore ? .string(String(page.offset + page.limit)) : nil,
        ])
    }

    private func values(of row: Row, in reader: Reader, _ hasMore: inout Bool) throws -> [JSONMember] {
        var members: [JSONMember] = []
        for (index, property) in row.entity.properties.enumerated() {
            let value: JSONValue
            switch property {
            case .attribute(let attribute):
                guard attribute.isStored else { continue }
                value = reader.readable(row.values[index]).json
            case .relationship(let relationship, .column) where !relationship.isToMany:
                value = row.values[index].json
            case .relationship(let relationship, _) where !relationship.isToMany:
                let target = try reader.related(to: row.id.uniqueID, entity: row.entity, propertyIndex: index).first
                value = target.map { .string($0.uniqueID.description) } ?? .null
            case .relationship(let relationship, _):
                guard include.contains(relationship.name) else { continue }
                let targets = try reader.related(
                    to: row.id.uniqueID,
                    entity: row.entity,
                    propertyIndex: index,
                    limit: page.limit + 1,
                    offset: page.offset
                )
                if targets.count > page.limit { hasMore = true }
                value = .array(targets.prefix(page.limit).map { .string($0.uniqueID.description) })
            }
            members.append(JSONMember(key: property.name, value: value))
        }
        return members
    }

    /// The first objects that fit into an answer with their included objects; of a single object's links, as many as fit.
    func page(of rows: [Row], in reader: Reader) throws -> (objects: [JSONValue], included: [JSONValue]) {
        var shape = self
        var (count, included) = try shape.included(with: rows[...], in: reader)
        while count == 0, !rows.isEmpty, shape.page.limit > 1 {
            shape.page.limit /= 2
            (count, included) = try shape.included(with: rows.prefix(1), in: reader)
        }
        let shown = rows.prefix(max(1, count))
        let ids = Set(shown.map(\.id))
        let objects = try shown.map { try shape.object(of: $0, in: reader) }
        return (objects, included.filter { !ids.contains($0.id) }.map(\.object))
    }

    /// The number of rows is the number of rows with all of their destinations.
    private func included(
        with rows: ArraySlice<Row>,
        in reader: Reader
    ) throws -> (rows: Int, [(id: ManagedObjectID, object: JSONValue)]) {
        guard !include.isEmpty else { return (rows.count, []) }
        var seen: Set<ManagedObjectID> = []
        var result: [(id: ManagedObjectID, object: JSONValue)] = []
        let plain = ObjectJSON(model: model)
        var bytes = 0
        for (index, row) in rows.enumerated() {
            let before = result.count
            for name in include {
                guard let propertyIndex = row.entity.propertyIndex(named: name) else { continue }
                for target in try targets(of: row, propertyIndex: propertyIndex, in: reader) {
                    bytes += Self.bytesOfLink
                    let isNew = seen.insert(target).inserted
                    guard bytes <= QueryParameters.byteLimit, !isNew || result.count < QueryParameters.largestLimit
                    else { return (index, index == 0 ? result : Array(result.prefix(before))) }
                    if isNew, let other = try reader.row(target.uniqueID, rootEntity: target.rootEntity) {
                        bytes += other.byteCount
                        result.append((target, try plain.object(of: other, in: reader)))
                    }
                }
            }
        }
        return (rows.count, result)
    }

    private static let bytesOfLink = 40

    private init(model: Model) {
        self.model = model
        include = []
    }

    private func targets(of row: Row, propertyIndex: Int, in reader: Reader) throws -> [ManagedObjectID] {
        guard case .relationship(let relationship, .column) = row.entity.properties[propertyIndex] else {
            return try reader.related(
                to: row.id.uniqueID,
                entity: row.entity,
                propertyIndex: propertyIndex,
                limit: page.limit,
                offset: page.offset
            )
        }
        guard case .reference(let id) = row.values[propertyIndex],
            let destination = model.entity(named: relationship.destination)
        else { return [] }
        return [
            ManagedObjectID(store: row.id.store, entity: destination.name, rootEntity: destination.root, uniqueID: id)
        ]
    }
}

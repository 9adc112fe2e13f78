import Hummingbird
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

enum ObjectRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let entity = try ObjectsRoute.entity(named: request.parameter("entity"), in: engine.container.model)
        let id = try request.uniqueID("id")
        var shape = try ObjectJSON(model: engine.container.model, entity: entity, include: request.query["include"])
        shape.page.limit = try request.query.limit(usual: QueryParameters.largestLimit)
        shape.page.offset = try ObjectsRoute.offset(request.query["after"])
        let found = try await engine.read { [shape] reader -> JSONValue? in
            guard let row = try reader.row(id, rootEntity: entity.root), row.entity.isKind(of: entity.name) else {
                return nil
            }
            let (objects, included) = try shape.page(of: [row], in: reader)
            guard case .object(var members)? = objects.first else { return nil }
            if !shape.include.isEmpty { members.append(JSONMember(key: "included", value: .array(included))) }
            return .object(members)
        }
        guard let found else {
            throw ProblemDocument(.notFound, detail: "there is no \(entity.name) with the ID \(id)")
        }
        return .json(found)
    }
}

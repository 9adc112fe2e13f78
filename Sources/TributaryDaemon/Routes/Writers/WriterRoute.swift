import Hummingbird
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

/// The requests about one writer: `POST …/evict` and `POST …/abandon` for another one, `POST /v1/writers/self/restamp`
/// for the store's own one.
enum WriterRoute {
    static func evict(_ request: AdminRequest) async throws -> Response {
        let writer = try request.uniqueID("writer")
        try await request.engine().sync.evict(writer, by: request.caller.name)
        return try await response(writer, request)
    }

    static func abandon(_ request: AdminRequest) async throws -> Response {
        let writer = try request.uniqueID("writer")
        try await request.engine().sync.abandon(writer, by: request.caller.name)
        return try await response(writer, request)
    }

    static func restamp(_ request: AdminRequest) async throws -> Response {
        let restamped = try await request.engine().sync.restamp(by: request.caller.name)
        return try .json(
            RestampMessage(
                former: restamped.former.description,
                new: restamped.new.description,
                published: restamped.published,
                reissued: UInt64(restamped.count)
            )
        )
    }

    private static func response(_ writer: UniqueID, _ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        guard
            let message = try await WritersRoute.messages(
                of: engine,
                limit: 1,
                where: { $0 == writer || $1.contains(writer) }
            )
            .shown.first
        else {
            throw SyncError.noSuchWriter(writer)
        }
        return try .json(message)
    }
}

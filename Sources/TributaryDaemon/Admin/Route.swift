import HTTPTypes
import Hummingbird

/// One method of one path: who may use it, what it takes, and what answers it.
struct Route: Sendable {
    /// What must be there before the route can answer.
    enum Requirement: Sendable {
        /// Nothing; it answers also while the daemon starts and stops.
        case nothing
        case openStore
    }

    typealias Handler = @Sendable (AdminRequest) async throws -> Response

    let method: HTTPRequest.Method
    let path: String
    let access: RouteAccess
    let requirement: Requirement
    /// The query parameters that it knows; others are refused.
    let query: Set<String>
    let handle: Handler

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: RouteAccess,
        needs requirement: Requirement = .openStore,
        query: Set<String> = [],
        _ handle: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.requirement = requirement
        self.query = query
        self.handle = handle
    }
}

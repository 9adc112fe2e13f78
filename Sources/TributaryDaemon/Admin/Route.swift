import HTTPTypes
import Hummingbird
import TributaryAdmin

/// A method of a path, with its permissions, its parameters and its handler.
struct Route: Sendable {
    enum Requirement: Sendable {
        /// No state: the route also responds while the daemon starts and stops.
        case nothing
        case openStore
    }

    typealias Handler = @Sendable (AdminRequest) async throws -> Response

    let method: HTTPRequest.Method
    let path: AdminPath
    let access: RouteAccess
    let requirement: Requirement
    /// The known query parameters; any other is refused.
    let query: Set<String>
    /// The known members of the body; any other is refused.
    let body: Set<String>
    let handle: Handler

    init(
        _ method: HTTPRequest.Method,
        _ path: AdminPath,
        _ access: RouteAccess,
        needs requirement: Requirement = .openStore,
        query: Set<String> = [],
        body: Set<String> = [],
        _ handle: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.requirement = requirement
        self.query = query
        self.body = body
        self.handle = handle
    }
}

import HTTPTypes
import Hummingbird
import TributaryAdmin

struct Route: Sendable {
    enum Requirement: Sendable {
        /// The route also responds while the daemon starts and stops.
        case nothing
        case openStore
    }

    typealias Handler = @Sendable (AdminRequest) async throws -> Response

    let method: HTTPRequest.Method
    let path: AdminPath
    let access: RouteAccess
    let requirement: Requirement
    /// Other parameters are refused.
    let query: Set<String>
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

/// The mode of the socket also limits who may connect.
enum RouteAccess: Sendable {
    case read
    case write
    case owner

    func check(_ caller: Caller, writers: [String]?) throws(ProblemDocument) {
        switch self {
        case .read: return
        case .write:
            guard let writers, !caller.isOwner, !caller.isMember(ofAnyOf: writers) else { return }
            throw ProblemDocument(
                .notPermitted,
                detail: "only members of \(writers.joined(separator: ", ")) may write (admin.writers)"
            )
        case .owner:
            guard !caller.isOwner else { return }
            throw ProblemDocument(.notPermitted, detail: "only root and the daemon's own user may do this")
        }
    }
}

import CLinux
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TributaryAdmin

struct AdminResponder: Sendable {
    private let router: RouterResponder<AdminContext>
    private let routes: [Route]
    private let daemon: AdminServices

    init(routes: [Route], daemon: AdminServices) {
        let router = Router(context: AdminContext.self)
        for route in routes {
            router.on(RouterPath(route.path.rawValue), method: route.method) { request, context in
                try await Self.response(request, context: context, route: route, daemon: daemon)
            }
        }
        self.router = router.buildResponder()
        self.routes = routes
        self.daemon = daemon
    }

    func respond(to request: Request, channel: any Channel) async -> Response {
        let methods = methods(of: request.uri.path)
        guard methods.contains(request.method) else { return .problem(Self.unknown(request, methods: methods)) }
        let context = AdminContext(source: .init(logger: daemon.logger, channel: channel))
        do {
            return try await router.respond(to: request, context: context)
        } catch {
            return .problem(ProblemMapping.problem(of: error, logger: daemon.logger, path: request.uri.path))
        }
    }

    private static func response(
        _ request: Request,
        context: AdminContext,
        route: Route,
        daemon: AdminServices
    ) async throws -> Response {
        daemon.counters.countRequest()
        // Reads have precedence over an import. Writes wait for the import, so it must not become slower for them.
        let reads = route.method == .get
        if reads { clinux_note_request() }
        defer { if reads { clinux_note_request() } }
        do {
            let caller = try await Caller.of(context.channel)
            try route.access.check(caller, writers: daemon.state.configuration.admin.writers)
            let query = try QueryParameters(request.uri.query, known: route.query)
            if route.requirement == .openStore { try daemon.state.requireOpenStore() }
            let request = AdminRequest(
                request: request,
                channel: context.channel,
                caller: caller,
                parameters: context.parameters,
                query: query,
                route: route,
                daemon: daemon
            )
            // A misplaced `{"dryRun":true}` must not be taken for a request without it.
            if route.method != .get, route.body.isEmpty { _ = try await request.json() }
            let client = ReadLimiter.Client(user: caller.user, process: caller.process)
            return try await ReadLimiter.Client.$current.withValue(client) { try await route.handle(request) }
        } catch {
            return .problem(ProblemMapping.problem(of: error, logger: daemon.logger, path: route.path.rawValue))
        }
    }

    private func methods(of path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return routes.filter { route in
            let own = route.path.rawValue.split(separator: "/", omittingEmptySubsequences: false)
            return own.count == parts.count && zip(own, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.map(\.method)
    }

    private static func unknown(_ request: Request, methods: [HTTPRequest.Method]) -> ProblemDocument {
        if methods.isEmpty {
            return ProblemDocument(.notFound, detail: "the path '\(request.uri.path)' does not exist")
        }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return ProblemDocument(
            .methodNotAllowed,
            detail: "'\(request.uri.path)' takes \(names), not \(request.method.rawValue)"
        )
    }
}

struct AdminContext: RequestContext {
    struct Source: RequestContextSource {
        let logger: Logger
        let channel: any Channel
    }

    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

import Hummingbird
import TributaryAdmin

/// Everybody who can reach `admin.listen` can read the page, so it shows only the extent of `admin.page`.
///
/// The Host header of a web site that resolves to this address is refused, so other sites cannot read the answers.
struct StatusPage: Sendable {
    let address: LoopbackAddress
    let daemon: AdminServices

    func respond(to request: Request) async -> Response { await answer(to: request).guarded }

    private func answer(to request: Request) async -> Response {
        guard let host = request.head.authority, hosts.contains(host.lowercased()) else {
            return .problem(ProblemDocument(.notPermitted, detail: "the Host header names another host"))
        }
        guard request.method == .get else {
            return .problem(ProblemDocument(.methodNotAllowed, detail: "this address accepts only GET"))
        }
        do {
            switch request.uri.path {
            case "/": return try .page(with: await data())
            case "/page.json": return .bytes(Array(try await data().json().utf8), type: "application/json")
            case AdminPath.metrics.rawValue: return try await MetricsRoute.response(of: daemon)
            default:
                return .problem(ProblemDocument(.notFound, detail: "this address has only /, /page.json and /metrics"))
            }
        } catch {
            return .problem(ProblemMapping.problem(of: error, logger: daemon.logger, path: request.uri.path))
        }
    }

    private var hosts: [String] {
        ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(address.port)" }
    }

    private func data() async -> PageData {
        await PageData.collect(daemon.state.configuration.admin.page, of: daemon)
    }
}

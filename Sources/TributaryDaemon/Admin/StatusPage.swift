import Hummingbird
import TributaryAdmin

/// The server on `admin.listen`: a page for people and the metrics, with counts only.
///
/// Everybody who can reach the address can read the page, so it has no names, values or paths. A page of another web
/// site whose name resolves to this address is refused by its Host header.
struct StatusPage: Sendable {
    let address: LoopbackAddress
    let daemon: AdminServices

    func respond(to request: Request) async -> Response {
        guard let host = request.head.authority, hosts.contains(host.lowercased()) else {
            return .problem(ProblemDocument(.notPermitted, detail: "this is not the host that was asked for"))
        }
        guard request.method == .get else {
            return .problem(ProblemDocument(.methodNotAllowed, detail: "there is only GET here"))
        }
        do {
            switch request.uri.path {
            case "/": return page(await StatusReport.make(of: daemon))
            case AdminPath.metrics.rawValue: return try await MetricsRoute.response(of: daemon)
            default: return .problem(ProblemDocument(.notFound, detail: "there are / and /metrics here"))
            }
        } catch {
            return .problem(ProblemMapping.problem(of: error, logger: daemon.logger, path: request.uri.path))
        }
    }

    private var hosts: [String] {
        ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(address.port)" }
    }

    private func page(_ status: StatusMessage) -> Response {
        var rows: [(String, String)] = [
            ("State", status.state.rawValue),
            ("Up", "\(Int(status.uptimeSeconds)) s"),
            ("Problems", "\(status.problems.count)"),
        ]
        rows += status.segments.sorted { $0.key < $1.key }.map { ("Segments \($0.key)", "\($0.value)") }
        if let queue = status.queue { rows.append(("Segments to be looked at", "\(queue)")) }
        if let pending = status.pendingSaves { rows.append(("Pending saves", "\(pending)")) }
        if let bytes = status.storeBytes { rows.append(("Store", "\(bytes / 1024) KiB")) }
        let table = rows.map { "<tr><th>\($0.0)</th><td>\($0.1)</td></tr>" }.joined(separator: "\n")
        let text = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="5"><title>Tributary</title>
            <style>body{font:1rem sans-serif;margin:2rem}th{text-align:left;padding-right:2rem}</style></head>
            <body><h1>Tributary</h1><table>
            \(table)
            </table></body></html>

            """
        return .bytes(Array(text.utf8), type: "text/html; charset=utf-8")
    }
}

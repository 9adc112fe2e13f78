import Foundation

package enum AdminPath: String, CaseIterable, Sendable {
    case status = "/v1/status"
    case health = "/v1/health"
    case sync = "/v1/sync"
    case pause = "/v1/pause"
    case resume = "/v1/resume"
    case segments = "/v1/segments"
    case segment = "/v1/segments/{writer}/{range}"
    case retrySegment = "/v1/segments/{writer}/{range}/retry"
    case acceptSegment = "/v1/segments/{writer}/{range}/accept"
    case acceptBaseline = "/v1/baselines/{writer}/{sequence}/accept"
    case writers = "/v1/writers"
    case evictWriter = "/v1/writers/{writer}/evict"
    case abandonWriter = "/v1/writers/{writer}/abandon"
    case trustWriter = "/v1/writers/{writer}/trust"
    case revokeWriter = "/v1/writers/{writer}/revoke"
    case restamp = "/v1/writers/self/restamp"
    case model = "/v1/model"
    case objects = "/v1/objects/{entity}"
    case object = "/v1/objects/{entity}/{id}"
    case transactions = "/v1/transactions"
    case history = "/v1/history"
    case changes = "/v1/changes"
    case conflicts = "/v1/conflicts"
    case restoreConflict = "/v1/conflicts/{number}/restore"
    case digest = "/v1/digest"
    case check = "/v1/check"
    case backup = "/v1/backup"
    case compact = "/v1/compact"
    case reload = "/v1/reload"
    case logLevel = "/v1/log-level"
    case configuration = "/v1/config"
    case shutdown = "/v1/shutdown"
    case page = "/v1/page"
    case openAPI = "/v1/openapi.json"
    case metrics = "/metrics"

    /// Percent-encoding keeps a value from adding a path component; parameters of value nil are left out.
    package func target(_ values: [String], query: [(String, String?)]) -> String {
        let components = rawValue.split(separator: "/", omittingEmptySubsequences: false)
        var rest = values[...]
        let path = components.map { $0.hasPrefix("{") ? Self.encoded(rest.popFirst() ?? "") : String($0) }
            .joined(separator: "/")
        let items = query.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
    }

    package static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    )
}

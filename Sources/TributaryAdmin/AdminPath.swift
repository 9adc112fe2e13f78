/// The paths of the admin interface, version 1.
package enum AdminPath {
    package static let status = "/v1/status"
    package static let health = "/v1/health"
    package static let sync = "/v1/sync"
    package static let pause = "/v1/pause"
    package static let resume = "/v1/resume"
    package static let segments = "/v1/segments"
    package static let writers = "/v1/writers"
    package static let model = "/v1/model"
    package static let objects = "/v1/objects"
    package static let transactions = "/v1/transactions"
    package static let history = "/v1/history"
    package static let changes = "/v1/changes"
    package static let digest = "/v1/digest"
    package static let reload = "/v1/reload"
    package static let logLevel = "/v1/log-level"
    package static let configuration = "/v1/config"
    package static let shutdown = "/v1/shutdown"
    package static let metrics = "/metrics"

    /// Returns a path of several components, each percent-encoded, so that a name cannot add components.
    package static func join(_ base: String, _ parts: String...) -> String {
        ([base] + parts.map(percentEncoded)).joined(separator: "/")
    }

    /// Returns `path?name=value&…`, without the parameters whose value is nil.
    package static func with(_ path: String, query: [(String, String?)]) -> String {
        let items = query.compactMap { name, value in value.map { "\(name)=\(percentEncoded($0))" } }
        return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
    }

    /// Percent-encodes every byte except RFC 3986's unreserved characters.
    package static func percentEncoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

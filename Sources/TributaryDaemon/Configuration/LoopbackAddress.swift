/// A loopback address, which only this machine can reach, with a port.
struct LoopbackAddress: Hashable, Sendable, CustomStringConvertible {
    let host: String
    let port: Int

    /// Parses `127.0.0.1:PORT`, `[::1]:PORT` or `localhost:PORT`; nil for any other text.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        self.port = Int(port)
        switch text[..<colon] {
        case "127.0.0.1", "localhost": host = "127.0.0.1"
        case "[::1]": host = "::1"
        default: return nil
        }
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

package struct LoopbackAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package static let syncthing = LoopbackAddress(host: "127.0.0.1", port: 8384)

    private init(host: String, port: Int) {
        (self.host, self.port) = (host, port)
    }

    /// Parses `127.0.0.1:PORT`, `[::1]:PORT` or `localhost:PORT`; nil for any other text.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        self.port = Int(port)
        switch String(text[..<colon]) {
        case "127.0.0.1", "localhost": host = "127.0.0.1"
        case "[::1]": host = "::1"
        default: return nil
        }
    }

    package init?(url: String) {
        guard url.hasPrefix("http://") else { return nil }
        let address = url.dropFirst("http://".count)
        self.init(address.hasSuffix("/") ? address.dropLast() : address)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package var url: String { "http://\(self)" }
}

/// A request to the daemon.
package struct AdminCall: Sendable, Hashable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    package var method: Method
    /// The encoded path and query.
    package var target: String
    package var body: [UInt8]?
    package var headers: [String: String]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - target: The encoded path and query.
    ///   - body: The body; nil for none.
    ///   - headers: Further headers.
    package init(_ method: Method, _ target: String, body: [UInt8]? = nil, headers: [String: String] = [:]) {
        self.method = method
        self.target = target
        self.body = body
        self.headers = headers
    }
}

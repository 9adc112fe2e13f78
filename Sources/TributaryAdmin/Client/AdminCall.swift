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

    /// Creates a request for a path of the interface.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The path.
    ///   - values: The values of the `{name}`s in the path.
    ///   - query: The parameters; those whose value is nil are left out.
    ///   - body: The body; nil for none.
    ///   - headers: Further headers.
    package init(
        _ method: Method,
        _ path: AdminPath,
        _ values: String...,
        query: [(String, String?)] = [],
        body: [UInt8]? = nil,
        headers: [String: String] = [:]
    ) {
        self.init(method, path.target(values, query: query), body: body, headers: headers)
    }

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

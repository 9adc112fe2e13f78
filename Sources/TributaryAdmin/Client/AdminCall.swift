package struct AdminCall: Sendable, Hashable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    package var method: Method
    package var target: String
    package var body: [UInt8]?
    package var headers: [String: String]

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

    package init(_ method: Method, _ target: String, body: [UInt8]? = nil, headers: [String: String] = [:]) {
        self.method = method
        self.target = target
        self.body = body
        self.headers = headers
    }
}

import Foundation
package import TributaryAdmin

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

package struct AdminResponse: Sendable {
    package var status: Int
    /// The names are in lower case.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package func decode<Message: Decodable>(_ type: Message.Type) throws -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw AdminClientError.unreadableResponse("the daemon's answer is not the expected JSON: \(error)")
        }
    }

    package func orProblem() throws -> AdminResponse {
        if isSuccess { return self }
        if let problem = try? JSONDecoder().decode(ProblemDocument.self, from: Data(body)) { throw problem }
        var problem = ProblemDocument(.failure, detail: text.isEmpty ? "the daemon answered \(status)" : text)
        problem.status = status
        throw problem
    }
}

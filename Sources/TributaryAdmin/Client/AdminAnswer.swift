import Foundation

/// What the daemon answered.
package struct AdminAnswer: Sendable {
    package var status: Int
    /// Names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a message of the interface.
    package func decode<Message: Decodable>(_ type: Message.Type) throws -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw AdminClientError.unreadableAnswer("the daemon's answer is not the expected JSON: \(error)")
        }
    }

    /// Throws the problem when the answer is one.
    package func orProblem() throws -> AdminAnswer {
        if isSuccess { return self }
        if let problem = try? JSONDecoder().decode(ProblemDocument.self, from: Data(body)) { throw problem }
        var problem = ProblemDocument(.failure, detail: text.isEmpty ? "the daemon answered \(status)" : text)
        problem.status = status
        throw problem
    }
}

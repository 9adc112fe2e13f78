import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct AdminRequest: Sendable {
    let request: Request
    let channel: any Channel
    let caller: Caller
    let parameters: Parameters
    let query: QueryParameters
    let route: Route
    let daemon: AdminServices

    static let largestBody = 16 << 20
    /// The depth of the log, within `changes`.
    static let deepestBody = JSONParser.logDepth + 2

    var wantsEvents: Bool { request.headers[.accept]?.contains("text/event-stream") == true }

    func parameter(_ name: String) throws(ProblemDocument) -> String {
        guard let text = parameters.get(name)?.removingPercentEncoding, !text.isEmpty else {
            throw ProblemDocument(.badRequest, detail: "the path's '\(name)' is not valid")
        }
        return text
    }

    func uniqueID(_ name: String) throws(ProblemDocument) -> UniqueID {
        let text = try parameter(name)
        guard let id = UniqueID(text) else { throw ProblemDocument(.badRequest, detail: "'\(text)' is not a UUID") }
        return id
    }

    func body() async throws -> [UInt8] {
        func tooLarge() -> ProblemDocument {
            ProblemDocument(.tooLarge, detail: "the body is larger than 16 MiB", hint: "send it in parts")
        }
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard (0...AdminRequest.largestBody).contains(length) else { throw tooLarge() }
        do {
            var bytes: [UInt8] = []
            // A large body is in memory once.
            bytes.reserveCapacity(length)
            for try await part in request.body {
                bytes.append(contentsOf: part.readableBytesView)
                guard bytes.count <= AdminRequest.largestBody else { throw tooLarge() }
            }
            return bytes
        } catch let error where error is CancellationError || error is ProblemDocument {
            throw error
        } catch {
            // The client caused the error, so it is not a failure of the daemon.
            throw ProblemDocument(
                .badRequest,
                detail: "the body is incomplete or not valid HTTP",
                hint: "send as many bytes as content-length states"
            )
        }
    }

    /// The body is an object with known members; an empty body is an empty object.
    func json() async throws -> JSONValue {
        try AdminRequest.json(try await body(), members: route.body)
    }

    /// The elements of the array `list` are passed to `take`, and are not kept.
    static func json(
        _ bytes: [UInt8],
        members: Set<String>,
        listing list: String = "",
        _ take: (JSONValue) throws -> Void = { _ in }
    ) throws -> JSONValue {
        guard !bytes.isEmpty else { return .object([]) }
        do {
            let body = try JSONParser.parse(bytes, listing: list, depthLimit: deepestBody, take)
            try body.check(members: members, of: "the body", at: "this path")
            return body
        } catch let error as JSONError {
            var problem = ProblemDocument(.badRequest, detail: "the body is not valid JSON: \(error.reason)")
            problem.position = error.offset
            throw problem
        }
    }

    func engine() throws(ProblemDocument) -> Engine {
        guard let engine = daemon.state.engine else {
            throw ProblemDocument(.notReady, detail: "the daemon is \(daemon.state.phase.rawValue)")
        }
        return engine
    }
}

extension JSONValue {
    func check(members known: Set<String>, of name: String, at place: String) throws(ProblemDocument) {
        guard case .object(let members) = self else {
            throw ProblemDocument(.badRequest, detail: "\(name) is \(kind), not an object")
        }
        guard let other = members.first(where: { !known.contains($0.key) }) else { return }
        let list = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        throw ProblemDocument(
            .unknownMember,
            detail: "\(name) has the member '\(other.key.prefix(80))', which is not known; \(place) takes \(list)"
        )
    }
}

/// A repeated parameter is refused.
struct QueryParameters: Sendable {
    private var values: [String: String] = [:]

    static let largestLimit = 1_000
    static let usualLimit = 100
    /// A list ends before its limit at about this length in bytes; it always has one item.
    static let byteLimit = 4 << 20

    init(_ text: String?, known: Set<String>) throws(ProblemDocument) {
        for pair in (text ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = QueryParameters.decode(parts[0]),
                let value = parts.count > 1 ? QueryParameters.decode(parts[1]) : ""
            else { throw ProblemDocument(.badRequest, detail: "the query '\(pair)' is not validly encoded") }
            guard known.contains(name) else {
                let list = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
                throw ProblemDocument(
                    .unknownParameter,
                    detail: "the query parameter '\(name)' is not known; this path takes \(list)"
                )
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw ProblemDocument(.badRequest, detail: "the query parameter '\(name)' occurs twice")
            }
        }
    }

    subscript(name: String) -> String? { values[name] }

    func flag(_ name: String) throws(ProblemDocument) -> Bool {
        switch values[name] {
        case nil, "false": return false
        case "true", "": return true
        case let other?:
            throw ProblemDocument(.badRequest, detail: "'\(name)' must be true or false, not '\(other)'")
        }
    }

    func limit(usual: Int = usualLimit) throws(ProblemDocument) -> Int {
        guard let text = values["limit"] else { return usual }
        guard let limit = Int(text), (1...QueryParameters.largestLimit).contains(limit) else {
            throw ProblemDocument(.badRequest, detail: "'limit' must be from 1 to 1000, not '\(text)'")
        }
        return limit
    }

    /// As in forms, `+` is a space.
    private static func decode(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }
}

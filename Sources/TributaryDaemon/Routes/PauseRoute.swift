import Hummingbird
import TributaryAdmin
import TributaryChanges
import TributarySync

enum PauseRoute {
    private static let longest = 366.0 * 86_400

    static func pause(_ request: AdminRequest) async throws -> Response {
        let body = try await request.json()
        var duration: Duration?
        switch body["forSeconds"] {
        case nil, .null: break
        case .integer(let seconds)? where seconds > 0 && Double(seconds) <= longest: duration = .seconds(seconds)
        case .double(let seconds)? where seconds > 0 && seconds <= longest: duration = .seconds(seconds)
        case let other?:
            throw ProblemDocument(
                .badRequest,
                detail: "'forSeconds' must be a number of seconds of at most a year, not \(other.text.prefix(80))"
            )
        }
        try await request.engine().sync.pause(for: duration, by: request.caller.name)
        return .done
    }

    static func resume(_ request: AdminRequest) async throws -> Response {
        try await request.engine().sync.resume(by: request.caller.name)
        return .done
    }
}

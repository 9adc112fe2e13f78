import Hummingbird
import Logging
import TributaryAdmin
import TributaryChanges

enum LogLevelRoute {
    static func get(_ request: AdminRequest) async throws -> Response {
        try .json(LogLevelMessage(level: request.daemon.logLevel.value.rawValue))
    }

    static func put(_ request: AdminRequest) async throws -> Response {
        guard case .string(let text)? = try await request.json()["level"],
            let level = Logger.Level(rawValue: text)
        else {
            let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProblemDocument(.badRequest, detail: "'level' must be one of \(levels)")
        }
        request.daemon.logLevel.value = level
        return try .json(LogLevelMessage(level: level.rawValue))
    }
}

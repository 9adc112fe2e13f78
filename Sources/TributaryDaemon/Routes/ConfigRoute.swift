import Hummingbird
import Logging
import TributaryAdmin
import TributaryChanges
import TributarySync

enum ConfigRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let configuration = request.daemon.state.configuration
        return try .json(
            ConfigurationMessage(
                file: configuration.file,
                settings: ConfigurationKey.all.map { key in
                    let origin = configuration[originOf: key.field]
                    return ConfigurationMessage.Setting(
                        key: key.name,
                        value: key.text(configuration),
                        origin: origin.word,
                        place: origin.location
                    )
                },
                restartNeeded: !request.daemon.state.restartNeeded.isEmpty
            )
        )
    }
}

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

/// `POST /v1/shutdown`: starts the graceful stop and responds at once.
enum ShutdownRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        request.daemon.shutdown()
        var response = Response.done
        response.status = .accepted
        return response
    }
}

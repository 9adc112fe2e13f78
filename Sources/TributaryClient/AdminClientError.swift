package import TributaryAdmin

package enum AdminClientError: Error, Hashable, Sendable, CustomStringConvertible {
    case noDaemon([SocketAttempt])
    case notPermitted(path: String)
    case interrupted(path: String)
    case unreadableResponse(String)
    case silent(path: String, after: Duration)

    package var description: String {
        switch self {
        case .noDaemon(let tried):
            (["no daemon answers; tried"] + tried.map { "  \($0)" }).joined(separator: "\n")
        case .notPermitted(let path):
            "not permitted to connect to \(path); members of the group tributary-admin may"
        case .interrupted(let path):
            "the daemon at \(path) has ended before its answer was complete"
        case .unreadableResponse(let reason): reason
        case .silent(let path, let duration):
            "the daemon at \(path) has not answered for \(duration); --timeout sets another limit"
        }
    }

    package var unansweredSockets: [String] {
        switch self {
        case .noDaemon(let tried): tried.map(\.path)
        case .interrupted(let path), .silent(let path, _): [path]
        case .notPermitted, .unreadableResponse: []
        }
    }

    package var exitStatus: ExitStatus {
        switch self {
        case .noDaemon, .silent: .unavailable
        case .notPermitted: .notPermitted
        case .interrupted: .tryAgain
        case .unreadableResponse: .internalError
        }
    }
}

package struct SocketAttempt: Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { "\(path): \(reason)" }
}

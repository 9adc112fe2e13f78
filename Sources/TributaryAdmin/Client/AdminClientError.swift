/// Why a request did not get an answer.
package enum AdminClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody answers at any of the paths; each with the reason.
    case nobodyAnswers([String])
    /// The socket is there, but this user may not connect.
    case notPermitted(path: String)
    /// The connection ended before the answer did.
    case interrupted(path: String)
    case unreadableAnswer(String)

    package var description: String {
        switch self {
        case .nobodyAnswers(let tried):
            "no daemon answers; tried\n" + tried.map { "  \($0)" }.joined(separator: "\n")
        case .notPermitted(let path):
            "not permitted to connect to \(path); members of the group tributary-admin may"
        case .interrupted(let path): "the daemon at \(path) ended the connection before its answer was complete"
        case .unreadableAnswer(let reason): reason
        }
    }

    package var exitStatus: ExitStatus {
        switch self {
        case .nobodyAnswers: .unavailable
        case .notPermitted: .notPermitted
        case .interrupted: .tryAgain
        case .unreadableAnswer: .internalError
        }
    }
}

import TributaryAdmin

/// The users who may use a route; the mode of the socket limits who may connect.
enum RouteAccess: Sendable {
    case read
    case write
    /// Root and the daemon's user.
    case owner

    func check(_ caller: Caller, writers: [String]?) throws(ProblemDocument) {
        switch self {
        case .read: return
        case .write:
            guard let writers, !caller.isOwner, !caller.isMember(ofAnyOf: writers) else { return }
            throw ProblemDocument(
                .notPermitted,
                detail: "only members of \(writers.joined(separator: ", ")) may write (admin.writers)"
            )
        case .owner:
            guard !caller.isOwner else { return }
            throw ProblemDocument(.notPermitted, detail: "only root and the daemon's own user may do this")
        }
    }
}

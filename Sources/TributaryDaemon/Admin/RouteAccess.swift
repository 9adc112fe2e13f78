import TributaryAdmin

/// Who may use a route; who may connect at all is decided by the socket's mode.
enum RouteAccess: Sendable {
    case read
    case write
    /// Root and the daemon's own user.
    case owner

    /// Throws a problem when the peer may not.
    func check(_ peer: Peer, writers: [String]?) throws(ProblemDocument) {
        switch self {
        case .read: return
        case .write:
            guard let writers, !peer.isOwner, !peer.isMember(ofAnyOf: writers) else { return }
            throw ProblemDocument(
                .notPermitted,
                detail: "only members of \(writers.joined(separator: ", ")) may write (admin.writers)"
            )
        case .owner:
            guard !peer.isOwner else { return }
            throw ProblemDocument(.notPermitted, detail: "only root and the daemon's own user may do this")
        }
    }
}

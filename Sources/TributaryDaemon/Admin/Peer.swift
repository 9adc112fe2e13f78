import Glibc
import NIOCore
import TributaryAdmin

/// Who is at the other end of the admin socket.
struct Peer: Sendable, Hashable {
    let user: uid_t
    let groups: [gid_t]

    /// What the kernel reports for a user that this namespace does not know; it never matches anyone.
    private static let nobody: UInt32 = 65534

    init(user: uid_t, groups: [gid_t]) {
        self.user = user
        self.groups = groups
    }

    /// Asks the kernel about the peer of a connected Unix socket.
    static func of(_ channel: any Channel) async throws -> Peer {
        guard let options = channel as? any SocketOptionProvider else {
            throw ProblemDocument(.notPermitted, detail: "the connection does not say who made it")
        }
        let credentials: Credentials
        do {
            credentials = try await options.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET),
                name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
        } catch {
            // Who has hung up meanwhile hears no answer.
            guard channel.isActive else { throw CancellationError() }
            throw error
        }
        var groups = [credentials.group]
        // Fails for a peer in more groups than there is room for; such a peer has its primary group only.
        if let list = try? await supplementaryGroups(options) { groups += list }
        return Peer(user: credentials.user, groups: groups.filter { $0 != nobody })
    }

    /// `struct ucred`, which Glibc's module hides.
    private struct Credentials: Sendable {
        var process: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
    }

    private static func supplementaryGroups(_ options: any SocketOptionProvider) async throws -> [gid_t] {
        let list: InlineArray<1024, gid_t> = try await options.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET),
            name: NIOBSDSocket.Option(rawValue: 59)  // SO_PEERGROUPS
        ).get()
        // The rest of the room is zeros; root's group gives no rights here, so that it can be left out.
        return list.indices.compactMap { list[$0] == 0 ? nil : list[$0] }
    }

    /// Whether the peer is root or runs as the daemon's own user.
    var isOwner: Bool { user == 0 || (user == geteuid() && user != Peer.nobody) }

    /// The user's name, or the number of one that has none.
    var name: String {
        Accounts.userName(of: user) ?? "uid \(user)"
    }

    /// Whether the peer is in one of the groups.
    func isMember(ofAnyOf names: [String]) -> Bool {
        names.contains { name in
            guard let group = Accounts.groupID(named: name) else { return false }
            return groups.contains(group)
        }
    }
}

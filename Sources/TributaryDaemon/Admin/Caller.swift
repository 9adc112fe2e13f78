import Glibc
import NIOCore
import TributaryAdmin

struct Caller: Sendable, Hashable {
    let user: uid_t
    let groups: [gid_t]
    let process: pid_t

    /// The number that the kernel reports for a user unknown to this namespace; it matches no user.
    private static let nobody: UInt32 = 65534

    static func of(_ channel: any Channel) async throws -> Caller {
        guard let options = channel as? any SocketOptionProvider else {
            throw ProblemDocument(.notPermitted, detail: "the user of the connection is not known")
        }
        let credentials: Credentials
        do {
            credentials = try await options.unsafeGetSocketOption(
                level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET),
                name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
        } catch {
            // A client that has closed the connection gets no response.
            guard channel.isActive else { throw CancellationError() }
            throw error
        }
        var groups = [credentials.group]
        // The call fails when the caller is in too many groups; the caller then has only its primary group.
        if let list = try? await supplementaryGroups(options) { groups += list }
        return Caller(user: credentials.user, groups: groups.filter { $0 != nobody }, process: credentials.process)
    }

    /// The `struct ucred`, which Glibc's module does not export.
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
        // The rest of the buffer is zeros; root's group gives no rights here, so it can be left out.
        return list.indices.compactMap { list[$0] == 0 ? nil : list[$0] }
    }

    var isOwner: Bool { user == 0 || (user == geteuid() && user != Caller.nobody) }

    var name: String {
        Accounts.userName(of: user) ?? "uid \(user)"
    }

    func isMember(ofAnyOf names: [String]) -> Bool {
        names.contains { name in
            guard let group = Accounts.groupID(named: name) else { return false }
            return groups.contains(group)
        }
    }
}

import Foundation
import Glibc
import TributaryAdmin

final class AdminSocket: Sendable {
    /// `sun_path` without its final zero byte.
    static let longestPath = 107
    /// The kernel limits it to `net.core.somaxconn`.
    static let backlog: Int32 = 4096
    private static let adminGroup = "tributary-admin"

    let descriptor: Int32
    let path: String
    private let isOwn: Bool

    private init(descriptor: Int32, path: String, isOwn: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.isOwn = isOwn
    }

    static func open(path: String) throws -> AdminSocket {
        if let inherited = try InheritedSocket.acquire() {
            return AdminSocket(descriptor: inherited, path: path, isOwn: false)
        }
        guard path.utf8.count <= longestPath else {
            throw StartFailure(
                "the socket's path is longer than \(longestPath) bytes: '\(path)'",
                status: .badConfiguration
            )
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("the socket cannot be made", errno) }
        do {
            try removeStale(path: path)
            try bind(descriptor, to: path)
            guard listen(descriptor, backlog) == 0 else { throw failure("the socket '\(path)' cannot listen", errno) }
        } catch {
            close(descriptor)
            throw error
        }
        return AdminSocket(descriptor: descriptor, path: path, isOwn: true)
    }

    func listenInFull() {
        _ = listen(descriptor, Self.backlog)
    }

    func remove() {
        if isOwn { unlink(path) }
    }

    private static func removeStale(path: String) throws {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        guard attributes[.type] as? FileAttributeType == .typeSocket else {
            throw StartFailure("'\(path)' is there and is not a socket", status: .badConfiguration)
        }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        defer { close(probe) }
        let connected = withAddress(path) { connect(probe, $0, $1) }
        if connected == 0 || errno == EAGAIN {
            throw StartFailure("another process answers at '\(path)'", status: .tryAgain)
        }
        guard errno == ECONNREFUSED else { throw failure("the socket '\(path)' cannot be tried", errno) }
        unlink(path)
    }

    /// From the beginning, the mode admits only the members of the admin group, or only the daemon's user.
    private static func bind(_ descriptor: Int32, to path: String) throws {
        let before = umask(0o177)
        let bound = withAddress(path) { Glibc.bind(descriptor, $0, $1) }
        let error = errno
        umask(before)
        guard bound == 0 else { throw failure("the socket '\(path)' cannot be made", error) }
        if let group = Accounts.groupID(named: adminGroup), chown(path, uid_t.max, group) == 0 {
            chmod(path, 0o660)
        }
    }

    private static func withAddress<T>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(longestPath)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func failure(_ what: String, _ error: Int32) -> StartFailure {
        StartFailure(what, code: error)
    }
}

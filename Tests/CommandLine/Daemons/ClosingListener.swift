import Foundation

/// A Unix socket that listens and does not accept connections.
final class ClosingListener: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = UnixAddress.socket()
        guard UnixAddress.with(path, { [descriptor] in bind(descriptor, $0, $1) }) == 0, listen(descriptor, 4) == 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    func closeWithAConnectionWaiting() {
        waitForConnection()
        close(descriptor)
    }

    func waitForConnection() {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 60_000) < 0, errno == EINTR {}
    }

    /// Accepts the waiting connection, reads its bytes for at most a minute, answers, and closes both.
    func readFromConnection(answering answer: String = "") -> String {
        let connection = accept(descriptor, nil, nil)
        // A process that another test starts must not inherit it.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        defer {
            close(connection)
            close(descriptor)
        }
        var readable = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        while poll(&readable, 1, 60_000) < 0, errno == EINTR {}
        guard readable.revents != 0 else { return "" }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &buffer, buffer.count, 0)
        _ = send(connection, answer, answer.utf8.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}

/// A stream socket and the address of a path.
enum UnixAddress {
    static func socket() -> Int32 {
        Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// Calls `body`, which is `bind` or `connect`, with the address of `path`.
    static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

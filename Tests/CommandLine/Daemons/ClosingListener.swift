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

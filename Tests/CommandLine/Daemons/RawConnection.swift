import Foundation

/// A connection to a Unix socket without a protocol.
///
/// `@unchecked Sendable`: a test uses it from one thread at a time.
final class RawConnection: @unchecked Sendable {
    private var descriptor: Int32

    init(_ path: String) throws {
        descriptor = UnixAddress.socket()
        guard UnixAddress.with(path, { [descriptor] in connect(descriptor, $0, $1) }) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
    }

    deinit { close() }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Tells the other side that nothing more comes; its answers can still be read.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func drip() {
        while true {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = Foundation.poll(&poll, 1, 100)
            guard count == 0 || (count < 0 && errno == EINTR) else { return }
            send(" ")
        }
    }

    /// Whether the other side refuses further bytes.
    func isRefused() -> Bool {
        Foundation.send(descriptor, [0], 1, Int32(MSG_NOSIGNAL)) < 0 && errno == EPIPE
    }

    /// Reads the next bytes; empty when the other side has closed the connection.
    func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    func readToEnd() -> String {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: result, as: UTF8.self) }
            result += buffer[..<count]
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        Foundation.close(descriptor)
        descriptor = -1
    }
}

import Foundation
package import Glibc

/// The machine's own addresses: a port for a daemon, and programs that answer there.
package enum Loopback {
    /// A port that was free a moment ago; nil when there is none.
    package static func freePort() -> UInt16? {
        guard let (descriptor, port) = try? bound() else { return nil }
        close(descriptor)
        return port
    }

    package static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// A socket that is bound to a free port.
    fileprivate static func bound() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard status == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            close(descriptor)
            throw POSIXError(code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Accepts connections on a port of its own, one after the other, and answers each, or keeps silent until it is closed.
    package final class Listener: Sendable {
        package let port: UInt16
        private let descriptor: Int32

        package init(answering answer: [UInt8]?, repeated: Int = 1, connections: Int = 1) throws {
            let (descriptor, port) = try Loopback.bound()
            (self.descriptor, self.port) = (descriptor, port)
            guard listen(descriptor, 4) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            Thread.detachNewThread {
                for _ in 0..<connections {
                    let connection = accept(descriptor, nil, nil)
                    guard connection >= 0 else { return }
                    var buffer = [UInt8](repeating: 0, count: 65_536)
                    _ = recv(connection, &buffer, buffer.count, 0)
                    for _ in 0..<repeated {
                        guard let answer, send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) >= 0 else {
                            break
                        }
                    }
                    // To close with bytes that were not read would take the answer back.
                    if answer != nil { shutdown(connection, Int32(SHUT_WR)) }
                    while recv(connection, &buffer, buffer.count, 0) > 0 {}
                    close(connection)
                }
            }
        }

        deinit { close(descriptor) }
    }
}

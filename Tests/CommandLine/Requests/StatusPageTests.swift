import Foundation
import TestSupport
import Testing
import TributaryAdmin

@Suite("The status page", .daemonTurns)
struct StatusPageTests {
    @Test("shows counts and metrics on loopback, to those who ask for this host only")
    func page() async throws {
        let daemon = try RunningDaemon()
        let port = try freePort()
        try daemon.reconfigure("admin: {socket:", to: "admin: {listen: \"127.0.0.1:\(port)\", socket:")
        try await daemon.start()
        try await daemon.save(#"{"insert":"Employee","values":{"name":"Secret"}}"#)
        let page = try await get("/", port: port, host: "127.0.0.1:\(port)")
        #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("<th>State</th><td>running</td>"), "\(page)")
        #expect(!page.contains("Secret") && !page.contains(daemon.folder.path))
        #expect(try await get("/metrics", port: port, host: "localhost:\(port)").contains("tributary_up 1"))
        #expect(try await get("/", port: port, host: "evil.example").hasPrefix("HTTP/1.1 403"))
        #expect(try await get("/v1/objects/Employee", port: port, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 404"))
    }

    /// Returns a port that was free a moment ago.
    private func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        try #require(status == 0)
        return UInt16(bigEndian: address.sin_port)
    }

    private func get(_ path: String, port: UInt16, host: String) async throws -> String {
        try await onThread {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = loopback(port: port)
            let connected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(connected == 0)
            let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            _ = send(descriptor, request, request.utf8.count, 0)
            var answer: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { answer += buffer[..<count] }
            return String(decoding: answer, as: UTF8.self)
        }
    }
}

private func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

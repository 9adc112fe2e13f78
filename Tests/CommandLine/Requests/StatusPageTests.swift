import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

@Suite("The status page", .daemonTurns)
struct StatusPageTests {
    @Test("shows counts and metrics on loopback, to those who ask for this host only")
    func page() async throws {
        let daemon = try RunningDaemon()
        let port = try #require(Loopback.freePort())
        try daemon.reconfigure("admin: {socket:", to: "admin: {listen: \"127.0.0.1:\(port)\", socket:")
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)]], to: daemon.logs)
        // The second segment waits for the first one of a writer whose name nobody knows.
        var waiting = RunningDaemon.foreignWriter(2)
        let first = try waiting.write([[RunningDaemon.insertion(2)]], to: daemon.logs)
        try waiting.write([[RunningDaemon.insertion(3)]], to: daemon.logs)
        try FileManager.default.removeItem(atPath: first)
        try await daemon.start()
        try await daemon.save(#"{"insert":"Employee","values":{"name":"Secret"}}"#)
        _ = try await daemon.call(.post, "/v1/sync")
        let host = "127.0.0.1:\(port)"
        let page = try await get("/", port: port, host: host)
        #expect(page.hasPrefix("HTTP/1.1 200") && page.contains(#""state":"running""#), "\(page)")
        for header in ["frame-ancestors 'none'", "nosniff", "no-store", "default-src 'none'; script-src 'sha256-"] {
            #expect(page.components(separatedBy: "\r\n\r\n")[0].contains(header), "\(header)")
        }
        let data = try await get("/page.json", port: port, host: host)
        for text in [page, data] {
            #expect(text.contains(#""shows":"counts""#) && text.contains(waiting.id), "\(text)")
            for hidden in [
                "Secret", daemon.folder.path, "Transactions 1 to 1", #""name":"one""#, "ownKey\"", "encryptionKeys\"",
            ] {
                #expect(!text.contains(hidden), "\(hidden) in \(text)")
            }
        }
        #expect(try await get("/metrics", port: port, host: "localhost:\(port)").contains("tributary_up 1"))
        for path in ["/", "/page.json", "/metrics", "/none"] {
            let head = try await get(path, port: port, host: host).components(separatedBy: "\r\n\r\n")[0]
            for header in ["nosniff", "no-store", "no-referrer", "same-origin"] {
                #expect(head.contains(header), "\(path): \(head)")
            }
        }
        for path in ["/", "/page.json", "/metrics"] {
            #expect(try await get(path, port: port, host: "evil.example").hasPrefix("HTTP/1.1 403"))
        }
        #expect(try await get("/v1/objects/Employee", port: port, host: host).hasPrefix("HTTP/1.1 404"))

        // With everything, from a reload on.
        try daemon.reconfigure("admin: {listen", to: "admin: {page: everything, listen")
        #expect(try await daemon.call(.post, "/v1/reload").0 == 200)
        let whole = try await get("/page.json", port: port, host: host)
        #expect(whole.contains(#""shows":"everything""#) && whole.contains("Transactions 1 to 1"), "\(whole)")
    }

    private func get(_ path: String, port: UInt16, host: String) async throws -> String {
        try await onThread {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = Loopback.address(port: port)
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

import Foundation

/// The service manager's end of sd_notify(3): notifies a test when a daemon is ready, without polling.
package final class NotifySocket: Sendable {
    package let path: String
    private let descriptor: Int32
    private let messages: AsyncStream<String>
    private let source: AsyncStream<String>.Continuation

    package init(in folder: TemporaryFolder) throws {
        path = folder.path("notify-\(UUID().uuidString.prefix(8))")
        descriptor = try NotifySocket.listen(at: path)
        (messages, source) = AsyncStream.makeStream()
        Thread.detachNewThread { [descriptor, source] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                    source.yield(String(line))
                }
            }
            close(descriptor)
            source.finish()
        }
    }

    private static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, bound == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return descriptor
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Waits for a line such as `READY=1`; false when `process` ended before it came.
    package func wait(for line: String, from process: ChildProcess) async -> Bool {
        let end = "EXIT=\(process.processID)"
        let watcher = Task { [source] in
            _ = await process.ending()
            source.yield(end)
        }
        defer { watcher.cancel() }
        for await message in messages {
            if message == line { return true }
            if message == end { return false }
        }
        return false
    }
}

import Foundation
import Glibc
import TestSupport

/// A `tributaryd` over a scratch folder, the one that was built beside this program, and a connection to it.
final class ServedStore {
    struct Failure: Error {
        var message: String
    }

    let logs: String
    var store: String { folder.path("store.sqlite") }
    private let folder: TemporaryFolder
    private let socket: String
    private let process: ChildProcess
    private var descriptor: Int32 = -1
    private var received: [UInt8] = []

    init(in parent: String) async throws {
        folder = try TemporaryFolder("benchmark", in: parent.hasSuffix("/") ? parent : parent + "/")
        logs = folder.path("logs")
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
        try folder.write(Workload.modelText, to: "model.yaml")
        socket = folder.path("admin.sock")
        let notify = try NotifySocket(in: folder)
        ServedStore.dropCachedPages(of: BuildFolder.executable("tributaryd"))
        process = try ChildProcess(
            BuildFolder.executable("tributaryd"),
            [
                "--model", folder.path("model.yaml"), "--store", folder.path("store.sqlite"), "--logs", logs,
                "--socket", socket, "--name", "benchmark",
            ],
            environment: ["NOTIFY_SOCKET": notify.path],
            errors: folder.path("log")
        )
        guard await notify.wait(for: "READY=1", from: process) else {
            let log = try? String(contentsOfFile: folder.path("log"), encoding: .utf8)
            throw Failure(message: "tributaryd did not start: \(log ?? "")")
        }
        try connect()
    }

    /// Connects again, since the daemon closes a connection without requests after a while.
    func connect() throws {
        if descriptor >= 0 { close(descriptor) }
        descriptor = try ServedStore.connect(to: socket)
    }

    deinit {
        // Ends what an error has left; does nothing once it has been stopped.
        process.send(SIGKILL)
        if descriptor >= 0 { close(descriptor) }
    }

    func stop() async {
        process.send(SIGTERM)
        _ = await process.ending()
    }

    /// Has the pages of a file read from the disk again when they are needed, as after a boot.
    ///
    /// Pages that a linker has just written are in the cache in large pieces, and a process that touches one of them is charged
    /// for all: about 5 MiB of the daemon's program.
    private static func dropCachedPages(of file: String) {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
    }

    /// The most memory that the daemon has had, file pages of its program included.
    var peakKiB: Int {
        let status = try? String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
    }

    /// The time that the daemon has used processors, in hundredths.
    var processorSeconds: Double {
        let text = try? String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)
        // Behind the name, which is in parentheses, the fields from the third on.
        let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / 100 : 0
    }

    /// Sequence that has been applied of the workload's writer.
    func appliedSequence(of writer: String) throws -> Int {
        let answer = try JSONSerialization.jsonObject(with: Data(try get("/v1/writers"))) as? [String: Any]
        let known = (answer?["writers"] as? [[String: Any]])?.first { $0["id"] as? String == writer }
        return known?["sequence"] as? Int ?? 0
    }

    func get(_ path: String) throws -> [UInt8] { try answer(to: "GET \(path)") }

    /// The body of the answer to a request on the one connection.
    @discardableResult
    func answer(to verb: String, body: String = "") throws -> [UInt8] {
        let ask = "\(verb) HTTP/1.1\r\nHost: benchmark\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let request = Array((ask + body).utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Failure(message: "the connection is closed")
        }
        var end = headEnd()
        while end == nil {
            try receive()
            end = headEnd()
        }
        let head = String(decoding: received[..<(end ?? 0)], as: UTF8.self).lowercased()
        guard head.hasPrefix("http/1.1 200"),
            let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }),
            let length = Int(line.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces))
        else { throw Failure(message: "an answer to \(verb) that is not understood: \(head)") }
        received.removeFirst(end ?? 0)
        while received.count < length { try receive() }
        defer { received.removeFirst(length) }
        return Array(received[..<length])
    }

    private func headEnd() -> Int? {
        received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
    }

    private func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw Failure(message: "the connection is closed") }
        received += buffer[..<count]
    }

    private static func connect(to path: String) throws -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure(message: "no connection to \(path)") }
        return descriptor
    }
}

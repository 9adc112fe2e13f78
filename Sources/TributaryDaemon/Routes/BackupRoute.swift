import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `POST /v1/backup`: streams a consistent copy of the store, one backup at a time.
enum BackupRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let hold = try request.daemon.backupLock.hold(for: request.caller)
        let progress = WorkProgress(phase: "copying")
        let store = engine.container.store
        let work = LongWork(for: request) {
            do {
                return try await BackupFile(of: store, hold: hold, progress: progress)
            } catch {
                hold.release()
                throw error
            }
        }
        guard request.wantsEvents else { return plain(try await work.value()) }
        return try await work.response(progress: { progress.json }, result: { try $0.message.jsonText() }) {
            file,
            index in
            guard let bytes = try await file.portion(index) else { return nil }
            return ServerSentEvent(event: "part", data: "{\"bytes\":\"\(Data(bytes).base64EncodedString())\"}")
        }
    }

    private static func plain(_ file: BackupFile) -> Response {
        var headers: HTTPFields = [
            .contentType: "application/vnd.sqlite3", .contentLength: String(file.message.bytes),
        ]
        if let name = HTTPField.Name("Repr-Digest") {
            headers[name] = "sha-256=:\(Data(file.digest).base64EncodedString()):"
        }
        if file.message.missingValues > 0, let name = HTTPField.Name("Tributary-Missing-Values") {
            headers[name] = String(file.message.missingValues)
        }
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(contentLength: Int(file.message.bytes)) { writer in
                var index = 0
                while let bytes = try await file.portion(index) {
                    try await writer.write(ByteBuffer(bytes: bytes))
                    index += 1
                }
                try await writer.finish(nil)
            }
        )
    }
}

/// Holds the lock of backups until its last bytes are read; it has no name, so the system removes it when it is closed.
final class BackupFile: Sendable {
    static let portion = 192 << 10

    let message: BackupMessage
    let digest: [UInt8]
    private let descriptor: Int32
    private let hold: WorkLock.Hold

    init(of store: Store, hold: WorkLock.Hold, progress: WorkProgress) async throws {
        let scratch = try ScratchFolder(.backup, besideStore: store.configuration.path)
        defer { scratch.remove() }
        try scratch.demandRoom(forCopyOf: store.configuration.path)
        let path = scratch.file("backup.sqlite")
        let missing = try await store.copy(to: path) { done, total in
            progress.set(phase: "copying", done: done, total: total)
        }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw StoreError.scratch(path: path, code: errno) }
        // The open file needs no name any more.
        scratch.remove()
        let cancellation = ReadCancellation()
        do {
            let label = try await store.readAside { try $0.writers.own().store }
            let (bytes, digest) = try await withTaskCancellationHandler {
                try await NIOThreadPool.singleton.runIfActive {
                    try Self.hash(file, path: path, cancellation: cancellation, progress: progress)
                }
            } onCancel: {
                cancellation.cancel()
            }
            (descriptor, self.hold, self.digest) = (file, hold, digest.bytes)
            message = BackupMessage(
                bytes: bytes,
                sha256: digest.hexadecimal,
                missingValues: missing,
                store: label.description
            )
        } catch {
            close(file)
            throw error
        }
    }

    deinit { close(descriptor) }

    func portion(_ index: Int) async throws -> [UInt8]? {
        let offset = Int64(index) * Int64(Self.portion)
        guard offset < message.bytes else { return nil }
        let file = descriptor
        let bytes = try await NIOThreadPool.singleton.runIfActive { try Self.read(file, at: offset) }
        guard bytes.count == min(Int64(Self.portion), message.bytes - offset) else {
            throw ProblemDocument(.inputOutput, detail: "the backup became shorter while it was sent")
        }
        // The client may begin another backup as soon as it has the last byte.
        if offset + Int64(bytes.count) == message.bytes { hold.release() }
        return bytes
    }

    private static func hash(
        _ descriptor: Int32,
        path: String,
        cancellation: ReadCancellation,
        progress: WorkProgress
    ) throws -> (Int64, SHA256.Digest) {
        let total = Int64(lseek(descriptor, 0, SEEK_END))
        guard total >= 0 else { throw StoreError.scratch(path: path, code: errno) }
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            if cancellation.isCancelled { throw CancellationError() }
            let portion = try read(descriptor, at: offset)
            guard !portion.isEmpty else { return (offset, hash.finalize()) }
            hash.update(data: portion)
            offset += Int64(portion.count)
            progress.set(phase: "hashing", done: offset, total: total)
        }
    }

    private static func read(_ descriptor: Int32, at offset: Int64) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: portion) { buffer, count in
            repeat {
                let result = pread(descriptor, buffer.baseAddress, portion, off_t(offset))
                failure = result < 0 ? errno : 0
                count = max(0, result)
            } while failure == EINTR
        }
        guard failure == 0 else {
            throw ProblemDocument(
                .inputOutput,
                detail: "the backup cannot be read: \(String(cString: strerror(failure)))"
            )
        }
        return bytes
    }
}

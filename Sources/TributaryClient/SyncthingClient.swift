import Foundation
import Glibc
import NIOCore
import NIOHTTP1
package import TributaryAdmin
package import TributaryChanges

/// The time and the size of each exchange are bounded.
package struct SyncthingClient: Sendable {
    package var address: LoopbackAddress
    package var keyFile: String
    /// Long, because Syncthing may have just begun to read the folder.
    package var timeLimit = Duration.seconds(30)

    /// Suffices for a folder that is shared with a thousand devices.
    private static let largestAnswer = 1 << 20

    package init(address: LoopbackAddress, keyFile: String) {
        self.address = address
        self.keyFile = keyFile
    }

    /// Waits for the end of the scan; an empty `paths` is the whole folder.
    package func scan(folder: String, below paths: [String]) async throws(SyncthingError) {
        let query = (["folder=" + AdminPath.encoded(folder)] + paths.map { "sub=" + AdminPath.encoded($0) })
        _ = try await send(.POST, "/rest/db/scan?" + query.joined(separator: "&"))
    }

    package func folder(_ id: String) async throws(SyncthingError) -> SyncthingFolder {
        let folder: SyncthingFolder = try await get(SyncthingFolder.configurationPath + AdminPath.encoded(id))
        guard folder.path.utf8.count < Int(PATH_MAX) else {
            throw SyncthingError.noSyncthing(address, reason: "the folder's path has \(folder.path.utf8.count) bytes")
        }
        return folder
    }

    package func ignores(of id: String) async throws(SyncthingError) -> [String] {
        struct Answer: Decodable {
            var ignore: [String]?
        }
        let answer: Answer = try await get("/rest/db/ignores?folder=" + AdminPath.encoded(id))
        return answer.ignore ?? []
    }

    package func set(_ members: [JSONMember], of id: String) async throws(SyncthingError) {
        let path = SyncthingFolder.configurationPath + AdminPath.encoded(id)
        _ = try await send(.PATCH, path, body: Array(JSONValue.object(members).text.utf8))
    }

    /// The folder is not shared; other members have Syncthing's defaults.
    package func make(_ id: String, path: String, _ members: [JSONMember]) async throws(SyncthingError) {
        let all = JSONValue.members(of: ["id": .string(id), "label": .string(id), "path": .string(path)]) + members
        _ = try await send(.POST, "/rest/config/folders", body: Array(JSONValue.object(all).text.utf8))
    }

    package func deviceID() async throws(SyncthingError) -> String {
        struct Answer: Decodable {
            var myID: String
        }
        let answer: Answer = try await get("/rest/system/status")
        return answer.myID
    }

    /// Returns whether the folder was not shared with the device before; an unknown device is added.
    ///
    /// An address is such as `tcp://10.0.0.7:22000`; without an address the devices must find each other.
    package func share(_ id: String, with device: String, at address: String?) async throws(SyncthingError) -> Bool {
        let devicePath = "/rest/config/devices/" + AdminPath.encoded(device)
        do throws(SyncthingError) {
            _ = try await send(.GET, devicePath)
            if let address { try await patch(devicePath, ["addresses": .array([.string(address)])]) }
        } catch {
            guard case .noSuchFolder = error else { throw error }
            let new = JSONValue.members([
                "deviceID": .string(device), "addresses": .array([.string(address ?? "dynamic")]),
            ])
            _ = try await send(.POST, "/rest/config/devices", body: Array(new.text.utf8))
        }
        let path = SyncthingFolder.configurationPath + AdminPath.encoded(id)
        // The members of existing devices stay unchanged, even if later versions of Syncthing add members.
        let text = String(decoding: try await send(.GET, path), as: UTF8.self)
        guard case .object(let members)? = JSONValue(text: text),
            case .array(let devices)? = members.first(where: { $0.key == "devices" })?.value
        else { throw SyncthingError.noSyncthing(self.address, reason: "the folder has no devices") }
        let entry = JSONMember(key: "deviceID", value: .string(device))
        let isShared = devices.contains { if case .object(let members) = $0 { members.contains(entry) } else { false } }
        if !isShared { try await patch(path, ["devices": .array(devices + [.object([entry])])]) }
        return !isShared
    }

    private func patch(_ path: String, _ members: KeyValuePairs<String, JSONValue?>) async throws(SyncthingError) {
        _ = try await send(.PATCH, path, body: Array(JSONValue.members(members).text.utf8))
    }

    private func get<Answer: Decodable>(_ target: String) async throws(SyncthingError) -> Answer {
        let body = try await send(.GET, target)
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(body))
        } catch {
            throw SyncthingError.noSyncthing(address, reason: "the answer is not the expected JSON")
        }
    }

    private func send(
        _ method: HTTPMethod,
        _ target: String,
        body: [UInt8] = []
    ) async throws(SyncthingError) -> [UInt8] {
        let key = try SyncthingKey(file: keyFile)
        let headers = HTTPHeaders([
            ("host", address.description), ("connection", "close"), ("x-api-key", key.text),
            ("content-type", "application/json"), ("content-length", "\(body.count)"),
        ])
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
        do {
            let (status, answer) = try await exchange(head, body)
            guard (200..<300).contains(status) else {
                throw SyncthingError(status: status, answer: answer, client: self)
            }
            return answer
        } catch let error as SyncthingError {
            throw error
        } catch let error as IOError {
            throw SyncthingError.unreachable(address, reason: String(cString: strerror(error.errnoCode)))
        } catch is HTTPParserError {
            throw SyncthingError.noSyncthing(address, reason: "the answer is not HTTP")
        } catch is ChannelError {
            throw SyncthingError.silent(address, after: timeLimit)
        } catch {
            throw SyncthingError.unreachable(address, reason: ErrorText.text(of: error))
        }
    }

    private func exchange(_ head: HTTPRequestHead, _ body: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        let silent = SyncthingError.silent(address, after: timeLimit)
        let connection = try await HTTPConnection(
            to: .port(address),
            sending: head,
            body: body,
            limit: HTTPConnection.TimeLimit(duration: timeLimit, isWhole: true, error: silent)
        )
        var (status, answer) = (0, ByteBuffer())
        let isComplete = try await connection.read { part in
            switch part {
            case .head(let head): status = Int(head.status.code)
            case .body(let buffer):
                guard answer.readableBytes + buffer.readableBytes <= Self.largestAnswer else {
                    throw SyncthingError.noSyncthing(
                        address,
                        reason: "the answer has more than \(Self.largestAnswer) bytes"
                    )
                }
                answer.writeImmutableBuffer(buffer)
            case .end: break
            }
        }
        guard isComplete else {
            throw SyncthingError.unreachable(address, reason: "Connection closed, without a whole answer")
        }
        return (status, Array(answer.readableBytesView))
    }
}

/// The key of Syncthing's REST interface; it never appears in an error or a log.
struct SyncthingKey {
    let text: String

    private static let largestFile = 1_024

    /// The file contains only the key, and other users must not be able to read it.
    init(file path: String) throws(SyncthingError) {
        func refusal(_ reason: String) -> SyncthingError { .badKeyFile(path, reason: reason) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw refusal(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("it is not a regular file")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw refusal("every user of the machine may read or write it; to end that: chmod o= \(path.shellWord)")
        }
        var bytes = [UInt8](repeating: 0, count: SyncthingKey.largestFile)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw refusal(String(cString: strerror(errno))) }
        let lines = bytes[..<count].split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
        let printable = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard count < bytes.count, lines.count == 1, let line = lines.first, line.allSatisfy(printable.contains) else {
            throw refusal("it must have one line, the key alone, without spaces")
        }
        text = String(decoding: line, as: UTF8.self)
    }
}

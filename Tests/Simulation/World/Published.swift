import TestSupport
package import TransactionLog
import TributaryChanges

/// A segment as its writer, or a copy of its writer, wrote it.
package struct PublishedSegment: Hashable, Sendable {
    package let name: SegmentName
    package let bytes: [UInt8]

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    func read(_ keys: EncryptionKeys) throws -> (header: SegmentHeader, transactions: [LogTransaction]) {
        let source = MemorySegment(try plain(bytes, keys))
        let segment = try SegmentVerifier().verify(source, name: name)
        return (segment.header, try SegmentText.transactions(of: segment, in: source))
    }
}

/// The content of a file that may be encrypted.
///
/// - Throws: ``SegmentError`` `locked` when its key is not among these.
func plain(_ bytes: [UInt8], _ keys: EncryptionKeys) throws -> [UInt8] {
    guard let content = try EncryptedContent(MemorySegment(bytes), keys: keys) else { return bytes }
    var plain = [UInt8](repeating: 0, count: Int(content.size))
    var count = 0
    while count < plain.count {
        count += try plain.withUnsafeMutableBytes { buffer in
            try content.read(at: UInt64(count), into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        }
    }
    return plain
}

/// What a store has found in a baseline, as it wrote it.
struct PublishedComparison {
    let found: BaselineComparison
    let bytes: [UInt8]
    var isRemoved = false
}

/// A baseline as its writer wrote it.
struct PublishedBaseline {
    let name: BaselineName
    let bytes: [UInt8]
    /// The last transaction of each writer in it.
    let vector: [UniqueID: UInt64]
    let sha256: String
    /// Whether it is the one of another state.
    var isWrong = false
    var isRemoved = false

    init(name: BaselineName, bytes: [UInt8], _ keys: EncryptionKeys = EncryptionKeys()) throws {
        (self.name, self.bytes) = (name, bytes)
        let verified = try VerifiedBaseline.verify(MemorySegment(try plain(bytes, keys)))
        let writers = verified.writers
        sha256 = verified.end.sha256
        vector = Dictionary(writers.map { ($0.id, $0.sequence) }) { first, _ in first }
    }

    /// The baseline of a state that lacks the values of an object, which is none of those in `except`; nil when no other
    /// object has any.
    func spoiled(except: Set<UniqueID>) throws -> PublishedBaseline? {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropLast().map(String.init)
        for (place, line) in lines.enumerated() where line.hasPrefix("{\"insert\"") {
            guard case .object(var members) = try JSONParser.parse(line),
                case .string(let id)? = members.first(where: { $0.key == "id" })?.value,
                !except.contains(where: { $0.description == id }),
                let index = members.firstIndex(where: { $0.key == "values" && $0.value != .object([]) })
            else { continue }
            members[index].value = .object([])
            lines[place] = JSONValue.object(members).text
            var spoiled = try PublishedBaseline(name: name, bytes: SegmentText.baseline(lines))
            spoiled.isWrong = true
            return spoiled
        }
        return nil
    }
}

import Foundation
import Glibc
import TestSupport
import Testing
import TransactionLog
import TributaryChanges

/// Files that only whoever has the key can read or write.
@Suite struct EncryptedFileTests {
    private static let piece = 64 << 10

    private let folder: TemporaryFolder
    private let writer = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private let first: EncryptionKeys
    private let second: EncryptionKeys
    private let both: EncryptionKeys

    init() throws {
        folder = try TemporaryFolder("encrypted")
        let (a, b) = (String(repeating: "a1", count: 32), String(repeating: "B2", count: 32))
        first = try EncryptionKeys(text: "# of the shop\n\n\(a)\n")
        second = try EncryptionKeys(text: "\(b)\r\n  \(a)  ")
        both = try EncryptionKeys(text: "\(a)\n\(b)")
    }

    private func logs(_ keys: EncryptionKeys = EncryptionKeys()) throws -> LogFolder {
        try LogFolder(path: folder.path, keys: keys)
    }

    /// A blob of bytes that repeat no piece.
    private func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 16) }
    }

    @discardableResult
    private func publishBlob(_ bytes: [UInt8], _ keys: EncryptionKeys) throws -> String {
        let hash = SegmentEnd.sha256(of: bytes)
        try logs(keys).publishBlob(hash, of: writer) { take in try bytes.withUnsafeBytes(take) }
        return hash
    }

    private func readBlob(_ hash: String, size: Int, _ keys: EncryptionKeys) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try logs(keys).readBlob(hash, of: writer, size: Int64(size)) { bytes += Array($0) }
        return bytes
    }

    private var segment: SegmentText {
        let changes = (0..<3_000).map { number in
            let id = UniqueID(high: 0x5f0c_0000_0000_7000, low: 0x8000_0000_0001_0000 + UInt64(number))
            return "{\"insert\":\"Employee\",\"id\":\"\(id)\",\"values\":{\"name\":\"Ann Secret \(number)\"}}"
        }
        let begin = "{\"transaction\":1,\"clock\":\"019aa3f1c2d40000\",\"changes\":\(changes.count)}"
        return SegmentText(writer: writer, last: 1, [begin] + changes)
    }

    private func publish(_ segment: SegmentText, _ keys: EncryptionKeys) throws -> SegmentEnd {
        try logs(keys).publish(segment.name, header: segment.lines[0]) { output in
            let lines: [UInt8] = segment.lines.dropFirst().flatMap { Array($0.utf8) + [0x0A] }
            try output.append(lines: lines, changes: segment.lines.count - 2)
        }
    }

    private func raw(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: folder.path(path))))
    }

    private func error(opening name: SegmentName, _ keys: EncryptionKeys) throws -> SegmentError? {
        let logs = try logs(keys)
        return #expect(throws: SegmentError.self) { try logs.open(name) }
    }

    // MARK: Contents

    @Test(arguments: [0, 1, piece - 1, piece, piece + 1, 2 * piece, 3 * piece + 5])
    func aBlobIsReadAsItWas(_ count: Int) throws {
        let bytes = content(count)
        let hash = try publishBlob(bytes, first)
        let path = "\(writer)/blobs/\(hash)"
        #expect(try readBlob(hash, size: count, both) == bytes)
        let length = try raw(path).count
        #expect(Int64(length) == EncryptedForm.length(ofBlob: Int64(count)))
        #expect(length > count + 16)
        // Without the key it counts as not there, with its size as well.
        #expect(throws: SegmentError.self) { try readBlob(hash, size: count, EncryptionKeys()) }
        if count > 0 { #expect(throws: SegmentError.self) { try readBlob(hash, size: length, both) } }
        // The same blob again, with another key.
        try publishBlob(bytes, second)
        #expect(try readBlob(hash, size: count, both) == bytes)
    }

    @Test func aSegmentIsOneWithTheSameHash() throws {
        let segment = segment
        let end = try publish(segment, first)
        #expect(end.sha256 == segment.sha256)
        let file = try logs(second).open(segment.name)
        let verified = try SegmentVerifier().verify(file, name: segment.name)
        #expect(verified.end == end)
        #expect(try SegmentText.transactions(of: verified, in: file) == segment.transactions())
        // The carrier sees the header, and no value.
        let bytes = try raw(segment.name.path)
        let header = try #require(bytes.split(separator: 0x0A).first.map { String(decoding: $0, as: UTF8.self) })
        #expect(header.contains("\"header\":\(segment.lines[0])}"))
        // The hash of the segment before would tell its content to whoever guesses it.
        var following = SegmentText(
            writer: writer,
            first: 2,
            last: 2,
            ["{\"transaction\":2,\"clock\":\"019aa3f1c2d50000\",\"changes\":0}"]
        )
        following.lines[0] = SegmentHeader(writer: writer, name: "till", first: 2, last: 2, previous: end.sha256).line
        _ = try publish(following, first)
        #expect(!String(decoding: try raw(following.name.path), as: UTF8.self).contains(end.sha256))
        #expect(try SegmentHeader.read(logs(first).open(following.name)).previous == end.sha256)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("Secret"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(".staging/\(writer)")).isEmpty)
    }

    /// Reads of any place and length give the bytes of that place.
    @Test func anyPlaceIsRead() throws {
        let segment = segment
        _ = try publish(segment, first)
        let (file, bytes) = (try logs(first).open(segment.name), segment.bytes())
        #expect(try file.size() == UInt64(bytes.count))
        // A buffer without room takes nothing.
        #expect(try file.read(at: 0, into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == 0)
        let random = SeededGenerator.fromEnvironment()
        var generator = random
        let ends = [0, Self.piece - 1, Self.piece, 2 * Self.piece, bytes.count - 1, bytes.count, bytes.count + 9]
        for offset in ends + (0..<40).map({ _ in Int.random(in: 0..<bytes.count, using: &generator) }) {
            let length = Int.random(in: 0...(3 * Self.piece), using: &generator)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, length), alignment: 1)
            defer { buffer.deallocate() }
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            let count = try file.read(at: UInt64(offset), into: target)
            let expected = bytes.dropFirst(offset)
            #expect(count > 0 || length == 0 || expected.isEmpty, "seed \(random.seed), \(offset) \(length)")
            #expect(
                Array(target[..<count]) == Array(expected.prefix(count)),
                "seed \(random.seed), \(offset) \(length)"
            )
        }
    }

    // MARK: Keys

    @Test func aKeyThatIsNotHereIsNamed() throws {
        let segment = segment
        _ = try publish(segment, first)
        let id = try #require(first.current?.id)
        #expect(id.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        let found = try error(opening: segment.name, EncryptionKeys())
        #expect(found?.kind == .locked && found?.state == "held")
        #expect(found?.reason.contains("key \(id)") == true)
        var required = first
        required.isRequired = true
        #expect(throws: Never.self) { try logs(required).open(segment.name) }
        let plain = SegmentText(
            writer: writer,
            first: 2,
            last: 2,
            ["{\"transaction\":2,\"clock\":\"019aa3f1c2d50000\",\"changes\":0}"]
        )
        _ = try publish(plain, EncryptionKeys())
        #expect(throws: Never.self) { try logs(first).open(plain.name) }
        #expect(try error(opening: plain.name, required)?.kind == .locked)
    }

    @Test func theSameSegmentIsPublishedWhateverItsKeyIs() throws {
        let segment = segment
        let end = try publish(segment, EncryptionKeys())
        var required = first
        required.isRequired = true
        #expect(try publish(segment, required) == end)
        #expect(try raw(segment.name.path) == segment.bytes())
        try FileManager.default.removeItem(atPath: folder.path(segment.name.path))
        #expect(try publish(segment, first) == end)
        #expect(try publish(segment, second) == end)
        var other = segment
        other.lines[2] = other.lines[2].replacing("Ann", with: "Eve")
        let fork = #expect(throws: SegmentError.self) { try publish(other, first) }
        #expect(fork?.kind == .forked)
        let locked = #expect(throws: SegmentError.self) { try publish(segment, EncryptionKeys()) }
        #expect(locked?.kind == .locked)
    }

    /// Blobs stay in the folder, so that a new key has to come to them.
    @Test func blobsAreEncryptedAnewWithTheCurrentKey() throws {
        let (plain, old) = (content(100), content(200))
        let hidden = try publishBlob(content(300), EncryptionKeys(text: String(repeating: "c3", count: 32)))
        let hashes = [try publishBlob(plain, EncryptionKeys()), try publishBlob(old, first)]
        // One that looks as if it were encrypted, and one that is not what its name says.
        let inner = try raw("\(writer)/blobs/\(hashes[1])")
        let disguised = try publishBlob(inner, EncryptionKeys())
        let wrong = String(repeating: "0", count: 64)
        try folder.write("wrong", to: "\(writer)/blobs/\(wrong)")
        var steps = 0
        #expect(try logs(second).encryptBlobs(of: writer) { steps += 1 } == 3)
        #expect(steps == 5)
        #expect(try readBlob(hashes[0], size: 100, second) == plain)
        #expect(try readBlob(hashes[1], size: 200, second) == old)
        #expect(try readBlob(disguised, size: inner.count, second) == inner)
        // Links in the place of folders of other writers.
        let others = (1...2).map { UniqueID(high: writer.high, low: writer.low + UInt64($0)) }
        #expect(symlink(folder.path("nowhere"), folder.path("\(others[0])")) == 0)
        #expect(mkdir(folder.path("\(others[1])"), 0o700) == 0)
        #expect(symlink(folder.path("\(writer)/blobs"), folder.path("\(others[1])/blobs")) == 0)
        let counts = try logs().filesByKey()
        #expect(
            counts == [
                second.current?.id: 3, nil: 1,
                try EncryptionKeys(text: String(repeating: "c3", count: 32)).current?.id: 1,
            ]
        )
        #expect(try logs(second).encryptBlobs(of: writer) {} == 0)
        #expect(try logs().encryptBlobs(of: writer) {} == 0)
        #expect(hidden.count == 64)
    }

    /// A blob may be anything, also an encrypted file.
    @Test func aPlainBlobMayLookEncrypted() throws {
        let hash = try publishBlob(content(100), first)
        let inner = try raw("\(writer)/blobs/\(hash)")
        let outer = try publishBlob(inner, EncryptionKeys())
        #expect(try readBlob(outer, size: inner.count, first) == inner)
        try publishBlob(inner, EncryptionKeys())
        let again = try publishBlob(inner + [1], first)
        #expect(try readBlob(again, size: inner.count + 1, first) == inner + [1])
    }

    @Test(
        arguments: [
            ("", nil, "has no key"), ("# none\n", nil, "has no key"), ("abc\n", 1, "64 hexadecimal"),
            (String(repeating: "a", count: 64) + "\n\nx", 3, "64 hexadecimal"),
            (String(repeating: "a", count: 64) + "\n" + String(repeating: "A", count: 64), 2, "twice"),
        ] as [(String, Int?, String)]
    )
    func aBadKeyFileIsToldWithItsLine(_ text: String, _ line: Int?, _ reason: String) throws {
        let path = folder.path("keys")
        try folder.write(text, to: "keys")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let error = #expect(throws: EncryptionKeysError.self) { try EncryptionKeys(file: path) }
        #expect(error?.line == line && error?.file == path)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: [0o644, 0o660, 0o602])
    func aKeyFileIsForItsGroupAtMost(_ mode: Int) throws {
        let path = folder.path("keys")
        try folder.write(String(repeating: "a", count: 64), to: "keys")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = #expect(throws: EncryptionKeysError.self) { try EncryptionKeys(file: path) }
        #expect(error?.reason.contains("chmod 640 \(path)") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try EncryptionKeys(file: path).current != nil)
    }

    // MARK: Carriers that do harm

    /// Whatever is changed, no other content is read.
    @Test func noChangeGoesUnnoticed() throws {
        let bytes = content(2 * Self.piece + 100)
        let hash = try publishBlob(bytes, first)
        let whole = try raw("\(writer)/blobs/\(hash)")
        let start = try #require(whole.firstIndex(of: 0x0A)) + 1
        let sealed = Self.piece + 16
        let end = start + 2 * sealed + 116
        var cases: [String: [UInt8]] = [:]
        for (name, place) in [
            ("salt", start - 5), ("piece 1", start + 9), ("tag", start + sealed - 1), ("piece 3", end - 20),
        ] {
            var changed = whole
            changed[place] = changed[place] == 0x30 ? 0x31 : 0x30
            cases[name] = changed
        }
        let (head, tail) = (Array(whole[..<start]), Array(whole[end...]))
        let pieces = [0, 1].map { Array(whole[(start + $0 * sealed)..<(start + ($0 + 1) * sealed)]) }
        let rest = Array(whole[(start + 2 * sealed)..<end])
        cases["swapped pieces"] = head + pieces[1] + pieces[0] + rest + tail
        let shorter = SegmentEnd(last: UInt64(2 * Self.piece), transactions: 0, changes: 0, sha256: hash).line
        cases["no last piece"] = head + pieces[0] + pieces[1] + [0x0A] + Array(shorter.utf8) + [0x0A]
        cases["a piece twice"] = head + pieces[0] + pieces[0] + rest + tail
        cases["another first line"] =
            Array(String(decoding: head.dropLast(2), as: UTF8.self).utf8) + Array(",\"x\":1}\n".utf8)
            + pieces[0] + pieces[1] + rest + tail
        for (name, changed) in cases.sorted(by: { $0.key < $1.key }) {
            try Data(changed).write(to: URL(fileURLWithPath: folder.path("copy")))
            let error = #expect(throws: SegmentError.self, "\(name)") {
                let file = try OpenFile.open(path: folder.path("copy"), keys: first)
                var offset: UInt64 = 0
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 1)
                defer { buffer.deallocate() }
                while case let count = try file.read(at: offset, into: buffer), count > 0 {
                    // What is read before the change is what was written.
                    let range = Int(offset)..<(Int(offset) + count)
                    #expect(Array(buffer[..<count]) == Array(bytes[range]), "\(name)")
                    offset += UInt64(count)
                }
            }
            #expect(error?.kind == .damaged, "\(name): \(String(describing: error))")
        }
        for length in [0, 14, 15, start, start + 9, end, end + 10, whole.count - 1] {
            try Data(whole.prefix(length)).write(to: URL(fileURLWithPath: folder.path("copy")))
            let error = #expect(throws: SegmentError.self, "\(length)") {
                _ = try SegmentTail.read(OpenFile.open(path: folder.path("copy"), keys: first))
            }
            #expect(error?.kind == .incomplete, "\(length): \(String(describing: error))")
        }
    }

    @Test(
        arguments: [
            ("{\"tributary\":2,\"key\":\"00\",\"salt\":\"00\"}", "hexadecimal digits"),
            ("{\"tributary\":2,}", "JSON"), ("{\"tributary\":2,\"key\":7}", "not a string"),
            ("{\"tributary\":2," + String(repeating: " ", count: 70_000), "too long"),
        ]
    )
    func aFirstLineThatIsNoneIsRejected(_ line: String, _ reason: String) throws {
        let end = SegmentEnd(last: .max >> 1, transactions: 0, changes: 0, sha256: String(repeating: "0", count: 64))
            .line
        try folder.write("\(line)\nx\n\(end)\n", to: "copy")
        let error = #expect(throws: SegmentError.self) { try OpenFile.open(path: folder.path("copy"), keys: first) }
        #expect(error?.kind == .rejected && error?.line == 1)
        #expect(reason == "JSON" || error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: [0, 1, 16, 17, UInt64.max >> 1])
    func aLengthThatDoesNotFitIsRejected(_ size: UInt64) throws {
        let id = try #require(first.current?.id)
        let end = SegmentEnd(last: size, transactions: 0, changes: 0, sha256: String(repeating: "0", count: 64)).line
        let header = "{\"tributary\":2,\"key\":\"\(id)\",\"salt\":\"\(String(repeating: "0", count: 32))\"}"
        try folder.write("\(header)\n\(String(repeating: "x", count: 18))\n\(end)\n", to: "copy")
        let error = #expect(throws: SegmentError.self) { try OpenFile.open(path: folder.path("copy"), keys: first) }
        #expect(error?.kind == .rejected && error?.reason.contains("length") == true)
    }

    // MARK: Other readers

    /// A reader that does not know the form says which version the file has.
    @Test func aReaderOfVersionOneSaysWhatItIs() throws {
        let segment = segment
        _ = try publish(segment, first)
        let bytes = MemorySegment(try raw(segment.name.path))
        let error = #expect(throws: SegmentError.self) { try SegmentVerifier().verify(bytes, name: segment.name) }
        #expect(error?.kind == .rejected && error?.reason.contains("version is 2") == true)
    }

    /// A program that was written from the specification with another library reads the files.
    @Test(.enabled(if: Python(importing: "cryptography") != nil, "python3-cryptography is not installed"))
    func anIndependentReaderDecrypts() async throws {
        let segment = segment
        _ = try publish(segment, first)
        try folder.write(String(repeating: "a1", count: 32), to: "keys")
        for (path, expected) in [
            (segment.name.path, segment.bytes()),
            ("\(writer)/blobs/\(try publishBlob(content(2 * Self.piece), first))", content(2 * Self.piece)),
            ("\(writer)/blobs/\(try publishBlob([], first))", []),
        ] {
            let result = try await #require(Python(importing: "cryptography")).run(
                SegmentVectors.folder + "/decrypt.py",
                [folder.path("keys"), folder.path(path), folder.path("plain")]
            )
            #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
            #expect(try raw("plain") == expected)
        }
    }

    /// The vector stays readable in all later versions.
    @Test func theVectorIsRead() throws {
        let keys = try EncryptionKeys(text: String(repeating: "07", count: 32))
        #expect(keys.current?.id == "459ce0c490d046e6")
        let file = try OpenFile.open(path: SegmentVectors.folder + "/encrypted/segment.tlog", keys: keys)
        let verified = try SegmentVerifier().verify(file, name: try SegmentHeader.read(file).segmentName)
        #expect(verified.end.changes == 1)
    }
}

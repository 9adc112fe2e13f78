package import TributaryChanges

// An encrypted file of the log folder: a readable line with the ID of the key, then encrypted pieces of the content,
// then an end line like in a segment. The place of a piece is part of its encryption, so pieces cannot change places.

/// The decrypted content of an encrypted file; a read authenticates every piece that it touches.
package struct EncryptedContent: Sendable {
    private let file: any SegmentBytes
    private let cipher: FileCipher
    private let start: UInt64
    package let size: UInt64

    /// Nil when the file does not begin like an encrypted file.
    package init?(_ file: some SegmentBytes, keys: EncryptionKeys) throws(SegmentError) {
        let (prefix, length) = (EncryptedForm.prefix, try file.size())
        guard length >= UInt64(prefix.count), try file.bytes(in: 0..<UInt64(prefix.count)) == prefix else { return nil }
        let tail = try SegmentTail.read(file)
        let beginning = try file.bytes(in: 0..<min(length, EncryptedForm.longestHeader))
        guard let newline = beginning.firstIndex(of: 0x0A) else {
            throw SegmentError(.rejected, file: file.file, line: 1, reason: "the first line is too long")
        }
        let header = Array(beginning[...newline])
        let (id, salt): (String, [UInt8])
        do throws(JSONError) {
            (id, salt) = try EncryptedForm.keyAndSalt(of: header)
        } catch {
            throw SegmentError(.rejected, file: file.file, line: 1, reason: error.reason)
        }
        guard let key = keys[id] else {
            let reason = "it is encrypted with key \(id), which this program does not have"
            throw SegmentError(.locked, file: file.file, reason: reason)
        }
        start = UInt64(header.count)
        // The newline before the end line belongs to no piece.
        guard let body = tail.offset.subtracting(start)?.subtracting(1), let size = EncryptedForm.content(of: body),
            size == tail.end.last
        else {
            let reason = "its length does not fit \(tail.end.last) encrypted bytes"
            throw SegmentError(.rejected, file: file.file, reason: reason)
        }
        (self.file, self.size) = (file, size)
        cipher = key.cipher(salt: salt, header: header)
    }

    /// After the first piece only whole pieces are read, so that consecutive reads decrypt no piece twice.
    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        var filled = 0
        while offset + UInt64(filled) < size {
            let place = offset + UInt64(filled)
            let index = place / EncryptedForm.piece
            let begin = index * EncryptedForm.piece
            let count = min(EncryptedForm.piece, size - begin)
            let room = buffer.count - filled
            guard room > 0, filled == 0 || UInt64(room) >= count else { break }
            let sealed = start + index * (EncryptedForm.piece + EncryptedForm.tag)
            let bytes = try file.bytes(in: sealed..<(sealed + count + EncryptedForm.tag))
            guard let plain = cipher.open(bytes, index: index, isLast: begin + count == size) else {
                let reason = "piece \(index + 1) of the encrypted content is not what the key's owner wrote"
                throw SegmentError(.damaged, file: file.file, reason: reason)
            }
            let part = plain.dropFirst(Int(place - begin)).prefix(room)
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: part)
            filled += part.count
        }
        return filled
    }
}

struct EncryptedOutput {
    private let cipher: FileCipher
    private var hash = SHA256()
    private var index: UInt64 = 0
    private var size: UInt64 = 0
    private var begun: [UInt8]

    /// `header` is the first line of a segment, which stays readable.
    init(_ key: EncryptionKey, header: String?) {
        var random = SystemRandomNumberGenerator()
        let salt = (0..<2).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        begun = EncryptedForm.header(key: key.id, salt: hexadecimalText(salt), of: header)
        cipher = key.cipher(salt: salt, header: begun)
    }

    /// Removes the bytes that it encrypts from `content`; the others wait for the next call.
    mutating func take(_ content: inout [UInt8], isLast: Bool) -> [UInt8] {
        var output = begun
        begun = []
        var taken = 0
        // A piece is written only when another piece follows, because the last piece is encrypted with a mark.
        while content.count - taken > Int(EncryptedForm.piece) {
            seal(content[taken..<(taken + Int(EncryptedForm.piece))], isLast: false, into: &output)
            taken += Int(EncryptedForm.piece)
        }
        if isLast {
            seal(content[taken...], isLast: true, into: &output)
            taken = content.count
            output.append(0x0A)
        }
        content.removeFirst(taken)
        hash.update(data: output)
        if isLast { output += EncryptedForm.endLine(size, sha256: hash.finalize().hexadecimal) }
        return output
    }

    private mutating func seal(_ plain: ArraySlice<UInt8>, isLast: Bool, into output: inout [UInt8]) {
        output += cipher.seal(plain, index: index, isLast: isLast)
        index += 1
        size += UInt64(plain.count)
    }
}

package enum EncryptedForm {
    /// The number of bytes of content in each piece except the last.
    static let piece: UInt64 = 64 << 10
    static let tag = UInt64(FileCipher.tagSize)
    static let prefix = Array("{\"tributary\":2,".utf8)
    static let longestHeader: UInt64 = 64 << 10

    static func header(key: String, salt: String, of header: String?) -> [UInt8] {
        let rest = header.map { ",\"header\":\($0)" } ?? ""
        return prefix + Array("\"key\":\"\(key)\",\"salt\":\"\(salt)\"\(rest)}\n".utf8)
    }

    static func keyAndSalt(of header: [UInt8]) throws(JSONError) -> (String, [UInt8]) {
        let fields = try header.dropLast().withUnsafeBufferPointer { line throws(JSONError) in try LineFields(line) }
        let (key, text) = (try fields.string("key"), try fields.string("salt"))
        guard hexadecimalBytes(key, count: 8) != nil, let salt = hexadecimalBytes(text, count: 16) else {
            throw JSONError("'key' must have 16 and 'salt' 32 hexadecimal digits")
        }
        return (key.lowercased(), salt)
    }

    /// Nil when the file is not encrypted.
    static func keyID(of file: some SegmentBytes) throws(SegmentError) -> String? {
        let length = try file.size()
        for limit in [4_096, longestHeader] {
            let bytes = try file.bytes(in: 0..<min(length, limit))
            guard bytes.starts(with: prefix) else { return nil }
            if let newline = bytes.firstIndex(of: 0x0A) { return try? keyAndSalt(of: Array(bytes[...newline])).0 }
        }
        return nil
    }

    static func endLine(_ size: UInt64, sha256: String) -> [UInt8] {
        Array((SegmentEnd(last: size, transactions: 0, changes: 0, sha256: sha256).line + "\n").utf8)
    }

    /// Returns the size of the content in `body` encrypted bytes; nil when no content has this encrypted length.
    static func content(of body: UInt64) -> UInt64? {
        let pieces = max(1, body / (piece + tag) + (body % (piece + tag) == 0 ? 0 : 1))
        guard let size = body.subtracting(pieces * tag), pieces == 1 || size > (pieces - 1) * piece else { return nil }
        return size
    }

    package static func length(ofBlob size: Int64) -> Int64? {
        guard size >= 0, size < 1 << 60 else { return nil }
        let pieces = max(1, (UInt64(size) + piece - 1) / piece)
        let first = header(key: String(repeating: "0", count: 16), salt: String(repeating: "0", count: 32), of: nil)
        let end = endLine(UInt64(size), sha256: String(repeating: "0", count: 64))
        return Int64(UInt64(size) + pieces * tag + 1) + Int64(first.count + end.count)
    }
}

extension UInt64 {
    fileprivate func subtracting(_ other: UInt64) -> UInt64? { self >= other ? self - other : nil }
}

import COpenSSL

/// A secret of 32 bytes that the machines of a fleet share.
package struct EncryptionKey: Hashable, Sendable, CustomStringConvertible {
    /// Names the key in files, and discloses nothing about the secret.
    package let id: String
    private let secret: [UInt8]

    package init?(_ text: String) {
        guard let secret = hexadecimalBytes(text, count: 32) else { return nil }
        self.secret = secret
        id = hexadecimalText(EncryptionKey.expand(secret, "tributary-key-id-1", []).prefix(8))
    }

    /// The ID, so that no message shows the secret.
    package var description: String { id }

    package func cipher(salt: [UInt8], header: [UInt8]) -> FileCipher {
        FileCipher(key: EncryptionKey.expand(secret, "tributary-encryption-1", salt), header: header)
    }

    /// HKDF-Expand (RFC 5869) to one HMAC block; a secret of 32 random bytes needs no extraction (section 3.3 there).
    private static func expand(_ secret: [UInt8], _ purpose: String, _ salt: [UInt8]) -> [UInt8] {
        let info = Array(purpose.utf8) + salt + [1]
        var (output, length) = ([UInt8](repeating: 0, count: 32), 0)
        guard
            EVP_Q_mac(nil, "HMAC", nil, "SHA256", nil, secret, secret.count, info, info.count, &output, 32, &length)
                != nil,
            length == 32
        else { fatalError("libcrypto offers no HMAC with SHA-256") }
        return output
    }
}

/// Encrypts the pieces of one file with ChaCha20-Poly1305 (RFC 8439).
///
/// A key encrypts one file, so the number of a piece is a nonce that never repeats. The nonce also marks the last
/// piece, so that no piece can be missing, and each piece is bound to the first line of the file.
package struct FileCipher: Sendable {
    package static let tagSize = 16

    private let key: [UInt8]
    private let header: [UInt8]

    fileprivate init(key: [UInt8], header: [UInt8]) { (self.key, self.header) = (key, header) }

    package func seal(_ plain: some Collection<UInt8>, index: UInt64, isLast: Bool) -> [UInt8] {
        let plain = Array(plain)
        let context = begin(index, isLast, encrypts: 1)
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: plain.count + FileCipher.tagSize)
        let isSealed = output.withUnsafeMutableBytes { output -> Bool in
            guard let start = output.baseAddress else { return false }
            let bytes = start.assumingMemoryBound(to: UInt8.self)
            var (count, rest): (Int32, Int32) = (0, 0)
            return EVP_EncryptUpdate(context, bytes, &count, plain, Int32(plain.count)) == 1
                && EVP_EncryptFinal_ex(context, bytes + plain.count, &rest) == 1
                && Int(count + rest) == plain.count
                && EVP_CIPHER_CTX_ctrl(
                    context,
                    EVP_CTRL_AEAD_GET_TAG,
                    Int32(FileCipher.tagSize),
                    start + plain.count
                ) == 1
        }
        guard isSealed else { fatalError("libcrypto cannot encrypt with ChaCha20-Poly1305") }
        return output
    }

    /// The decrypted piece; nil when these are not the bytes that were encrypted for this place.
    package func open(_ sealed: some Collection<UInt8>, index: UInt64, isLast: Bool) -> [UInt8]? {
        var tag = Array(sealed.suffix(FileCipher.tagSize))
        let body = Array(sealed.dropLast(FileCipher.tagSize))
        guard tag.count == FileCipher.tagSize else { return nil }
        let context = begin(index, isLast, encrypts: 0)
        defer { EVP_CIPHER_CTX_free(context) }
        // One byte more gives an empty piece an address.
        var output = [UInt8](repeating: 0, count: body.count + 1)
        let isOpen = output.withUnsafeMutableBufferPointer { output -> Bool in
            guard let start = output.baseAddress else { return false }
            var (count, rest): (Int32, Int32) = (0, 0)
            return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
                && EVP_DecryptUpdate(context, start, &count, body, Int32(body.count)) == 1
                && EVP_DecryptFinal_ex(context, start + body.count, &rest) == 1
        }
        output.removeLast()
        return isOpen ? output : nil
    }

    private func begin(_ index: UInt64, _ isLast: Bool, encrypts: Int32) -> OpaquePointer {
        var nonce: [UInt8] = [0, 0, 0]
        withUnsafeBytes(of: index.bigEndian) { nonce.append(contentsOf: $0) }
        nonce.append(isLast ? 1 : 0)
        var count: Int32 = 0
        guard let context = EVP_CIPHER_CTX_new(),
            EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), nil, key, nonce, encrypts) == 1,
            EVP_CipherUpdate(context, nil, &count, header, Int32(header.count)) == 1
        else { fatalError("libcrypto offers no ChaCha20-Poly1305") }
        return context
    }
}

/// The first key encrypts, and all keys decrypt.
package struct EncryptionKeys: Hashable, Sendable {
    package private(set) var keys: [EncryptionKey] = []
    package var isRequired = false

    package init() {}

    package init(text: String) throws(EncryptionKeysError) {
        // Split at the bytes, because Swift takes a carriage return with a line feed for one character.
        for (number, line) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: line, as: UTF8.self).trimmingSpaces
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let key = EncryptionKey(line) else {
                throw EncryptionKeysError(line: number + 1, reason: "it is not a key of 64 hexadecimal digits")
            }
            guard !keys.contains(key) else {
                throw EncryptionKeysError(line: number + 1, reason: "the file has key \(key.id) twice")
            }
            keys.append(key)
            guard keys.count <= EncryptionKeys.limit else {
                throw EncryptionKeysError(line: number + 1, reason: "there are more than \(EncryptionKeys.limit) keys")
            }
        }
        guard !keys.isEmpty else { throw EncryptionKeysError(reason: "it has no key") }
    }

    private static let limit = 64

    package var current: EncryptionKey? { keys.first }

    package subscript(id: String) -> EncryptionKey? { keys.first { $0.id == id } }
}

package struct EncryptionKeysError: Error, Hashable, Sendable, CustomStringConvertible {
    package var file: String?
    package var line: Int?
    package var reason: String
    package var code: Int32?

    package init(file: String? = nil, line: Int? = nil, reason: String, code: Int32? = nil) {
        (self.file, self.line, self.reason, self.code) = (file, line, reason, code)
    }

    package var description: String {
        let place = file.map { "'\($0)'" } ?? "the key file"
        return line.map { "\(place), line \($0): \(reason)" } ?? "\(place): \(reason)"
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

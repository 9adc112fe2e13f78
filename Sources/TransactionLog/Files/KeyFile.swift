package import Glibc
package import TributaryChanges

/// The file of a private key, as PKCS #8 in PEM: who can read it can sign as its store or producer.
package enum KeyFile {
    private static let limit = 4_096

    /// Reads the key.
    ///
    /// - Parameters:
    ///   - path: Its path; a link is not followed.
    ///   - owner: The user to whom the file has to belong, if not to root; nil for anyone.
    /// - Returns: nil when there is no file.
    /// - Throws: ``KeyFileError`` when it cannot be read, has no key, belongs to somebody else, or is open to others.
    package static func read(_ path: String, ownedBy owner: uid_t? = nil) throws(KeyFileError) -> SigningKey? {
        func failure(_ reason: String) -> KeyFileError { KeyFileError(path: path, reason: reason) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure("it is no regular file") }
        if let owner, status.st_uid != owner, status.st_uid != 0 {
            throw failure(
                "it belongs to user \(status.st_uid), who can replace it; if the key is the right one: "
                    + "chown \(owner) \(path.shellWord)"
            )
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw failure(
                "others than its owner may use it (mode 0\(mode)), and whoever has read it can sign with it: "
                    + "chmod 600 \(path.shellWord)"
            )
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
        guard count <= limit, let key = SigningKey(pem: Array(bytes[..<count])) else {
            throw failure("it is no Ed25519 key in PEM without a passphrase")
        }
        return key
    }
}

/// The file of a private key that cannot be used.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var reason: String

    package var description: String { "'\(path)': \(reason)" }
}

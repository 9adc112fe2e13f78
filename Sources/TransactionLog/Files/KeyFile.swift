package import Glibc
package import TributaryChanges

/// The file of a secret: a program that can read it can sign as its owner, or decrypt the files of a fleet.
package enum KeyFile {
    /// Reads an Ed25519 key, as PKCS #8 in PEM; nil when there is no file, and an error when others may read it.
    package static func read(_ path: String, ownedBy owner: uid_t? = nil) throws(KeyFileError) -> SigningKey? {
        guard let bytes = try bytes(path, ownedBy: owner, mode: 0o600, limit: 4_096) else { return nil }
        guard let key = SigningKey(pem: bytes) else {
            throw KeyFileError(path: path, reason: "it is not an Ed25519 key in PEM without a passphrase")
        }
        return key
    }

    /// Throws when the group or others have a right that `mode` does not grant, or neither `owner` (nil: anyone) nor
    /// root owns the file.
    ///
    /// A link is not followed. `harm` is the damage that others can do, for the error.
    package static func bytes(
        _ path: String,
        ownedBy owner: uid_t?,
        mode: mode_t,
        harm: String = "whoever has read it has the key",
        limit: Int
    ) throws(KeyFileError) -> [UInt8]? {
        func failure(_ reason: String) -> KeyFileError { KeyFileError(path: path, reason: reason) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            if code == EACCES, let command = opening(path, mode) {
                throw failure("\(String(cString: strerror(code))); for the user of this process: \(command)")
            }
            guard code == ELOOP else { throw KeyFileError(path: path, code: code) }
            let copy = "cp -p --remove-destination -- \"$(realpath -- \(path.shellWord))\" \(path.shellWord)"
            throw failure("it is a link; the file itself must be here: \(copy)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw KeyFileError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw failure(
                "it is not a regular file. Put a copy of the key file there, after: "
                    + "mv -- \(path.shellWord) \("\(path).moved".shellWord)"
            )
        }
        if let owner, status.st_uid != owner, status.st_uid != 0 {
            throw failure(
                "it belongs to user \(status.st_uid), who can replace it; if its content is right: "
                    + "sudo chown \(owner) \(path.shellWord)"
            )
        }
        guard status.st_mode & 0o077 & ~mode == 0 else {
            let found = String(status.st_mode & 0o7777, radix: 8)
            throw failure(
                "other users may use it (mode 0\(found)), and \(harm): "
                    + "chmod \(String(mode, radix: 8)) \(path.shellWord)"
            )
        }
        guard status.st_size <= limit else { throw failure("it has more than \(limit) bytes") }
        var count = 0
        // The system provides memory only for the pages that are touched.
        let bytes = [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, length in
            count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            length = max(0, count)
        }
        guard count >= 0 else { throw KeyFileError(path: path, code: errno) }
        guard count <= limit else { throw failure("it has more than \(limit) bytes") }
        return bytes
    }

    package static var groups: [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(Int(max(0, count))))
    }

    private static func opening(_ path: String, _ mode: mode_t) -> String? {
        guard access(path.folder, X_OK) == 0, let user = getpwuid(geteuid()) else { return nil }
        let name = String(cString: user.pointee.pw_name)
        let file = path.shellWord
        guard mode & 0o040 != 0 else { return "sudo chown \(name) \(file)" }
        let own = groups.contains(user.pointee.pw_gid) ? user.pointee.pw_gid : getegid()
        guard let group = getgrgid(own) else { return nil }
        let digits = String(mode, radix: 8)
        return "sudo chgrp \(String(cString: group.pointee.gr_name)) \(file) && sudo chmod \(digits) \(file)"
    }
}

extension EncryptionKeys {
    package init(file path: String) throws(EncryptionKeysError) {
        let bytes: [UInt8]?
        do throws(KeyFileError) {
            // Root may look at the file of the service.
            let owner = geteuid() == 0 ? nil : geteuid()
            bytes = try KeyFile.bytes(path, ownedBy: owner, mode: 0o640, limit: 64 << 10)
        } catch {
            throw EncryptionKeysError(file: path, reason: error.reason, code: error.code)
        }
        guard let bytes else {
            throw EncryptionKeysError(
                file: path,
                reason: "the file does not exist: copy it from another machine of the fleet, or make the first key file"
            )
        }
        do throws(EncryptionKeysError) {
            try self.init(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw EncryptionKeysError(file: path, line: error.line, reason: error.reason)
        }
    }
}

package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var reason: String
    package private(set) var code: Int32?

    package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

    package init(path: String, code: Int32) {
        self.init(path: path, reason: String(cString: strerror(code)))
        self.code = code
    }

    package var description: String { "'\(path)': \(reason)" }
}

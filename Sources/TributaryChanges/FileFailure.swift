import Foundation
import Glibc

package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var code: Int32

    package init(_ path: String, _ code: Int32) { (self.path, self.code) = (path, code) }

    package var reason: String {
        switch code {
        case ENOLINK:
            "a symbolic link in it belongs to another user, who could lead root to any file: give the path without "
                + "the link"
        default: String(cString: strerror(code))
        }
    }

    package var description: String { "'\(path)': \(reason)" }
}

extension FileFailure {
    package static func bytes(of path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var portion = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &portion, portion.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(path, errno) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw FileFailure(path, EFBIG) }
            bytes += portion[..<count]
        }
    }

    /// Throws when the system cannot tell, for example because a disk fails.
    package static func exists(_ path: String) throws(FileFailure) -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw FileFailure(path, errno) }
        return false
    }

    package static func code(of error: any Error) -> Int32? {
        if let error = error as? POSIXError { return error.code.rawValue }
        let below = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        return below.flatMap { code(of: $0) }
    }
}

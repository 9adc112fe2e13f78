import Glibc
import TributaryChanges

/// The hash of the bytes of a file, read in portions.
enum FileHash {
    /// Returns the SHA-256 in lower-case hexadecimal.
    static func sha256(ofFile path: String) throws(StoreError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
            guard count > 0 else { return hash.finalize().hexadecimal }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

import Glibc
import TributaryChanges

final class HashedFile {
    private static let bufferSize = 256 << 10

    private let descriptor: Int32
    private let file: String
    private var hash = SHA256()
    private var pending: [UInt8] = []

    init(descriptor: Int32, file: String) {
        self.descriptor = descriptor
        self.file = file
    }

    func write(_ bytes: [UInt8]) throws(SegmentError) {
        pending.append(contentsOf: bytes)
        if pending.count >= HashedFile.bufferSize { try flush() }
    }

    func end(_ line: (String) -> String) throws(SegmentError) {
        try flush()
        pending = Array(line(hash.finalize().hexadecimal).utf8) + [0x0A]
        try flush(hashed: false)
    }

    func finish() throws(SegmentError) { try flush(hashed: false) }

    private func flush(hashed: Bool = true) throws(SegmentError) {
        if hashed { hash.update(data: pending) }
        var failure: Int32 = 0
        pending.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty, failure == 0 {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
            }
        }
        guard failure == 0 else { throw SegmentError.system(failure, file: file, doing: "write") }
        pending.removeAll(keepingCapacity: true)
    }
}

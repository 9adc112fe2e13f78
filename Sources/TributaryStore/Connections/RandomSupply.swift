import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Random numbers in batches, because a request to the kernel costs more than creating an object.
final class RandomSupply: Sendable {
    /// The kernel delivers up to 256 bytes in one call without interruption.
    private static let count = 32

    private let numbers = Mutex<[UInt64]>([])

    func next() -> UInt64 {
        numbers.withLock { numbers in
            if numbers.isEmpty { numbers = RandomSupply.fetch() }
            return numbers.popLast() ?? UInt64.random(in: .min ... .max)
        }
    }

    private static func fetch() -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            let address = bytes.baseAddress
            filled = address.map { getentropy($0, bytes.count) == 0 } == true ? count : 0
        }
    }
}

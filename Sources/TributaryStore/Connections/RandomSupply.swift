import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// The system's random numbers, asked for many at a time: each new object takes two, and asking the kernel for each costs
/// more than making the object.
final class RandomSupply: Sendable {
    /// As many numbers as the kernel gives without being interrupted: 256 bytes.
    private static let count = 32

    private let numbers = Mutex<[UInt64]>([])

    func next() -> UInt64 {
        numbers.withLock { numbers in
            if numbers.isEmpty { numbers = RandomSupply.fetch() }
            return numbers.popLast() ?? UInt64.random(in: .min ... .max)
        }
    }

    /// Empty when the kernel gives none.
    private static func fetch() -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            let address = bytes.baseAddress
            filled = address.map { getentropy($0, bytes.count) == 0 } == true ? count : 0
        }
    }
}

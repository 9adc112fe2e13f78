/// Numbers at the limits of arithmetic, for tests of external input.
package enum HostileNumbers {
    private static let edges: [UInt64] = [
        0, 1, 2, 3, 1_000, 1 << 31, 1 << 32, 1 << 47, 1 << 48, 1 << 53, 1_718_900_000_000,
        UInt64(Int64.max) / 1_000_000_000, UInt64(Int64.max) - 1, UInt64(Int64.max), UInt64(Int64.max) + 1,
        .max / 1_000,
        .max - 1, .max,
    ]

    /// A limit, or a number next to one.
    package static func unsigned(_ generator: inout SeededGenerator) -> UInt64 {
        let edge = edges[Int(generator.next() % UInt64(edges.count))]
        let step = generator.next() % 4
        return generator.next() % 2 == 0 ? edge &+ step : edge &- step
    }

    package static func signed(_ generator: inout SeededGenerator) -> Int64 {
        Int64(bitPattern: unsigned(&generator))
    }
}

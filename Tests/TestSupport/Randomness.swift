import Foundation

/// Reproducible random numbers: SplitMix64 from a seed that the test prints.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator with the seed of `TRIBUTARY_SEED`, or a fresh one.
    package static func fromEnvironment() -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["TRIBUTARY_SEED"].flatMap { UInt64($0) }
        return SeededGenerator(seed: given ?? UInt64.random(in: 0...UInt64(UInt32.max)))
    }

    /// A generator as from ``fromEnvironment()``, whose seed stands in the output of the test.
    package static func printingSeed() -> SeededGenerator {
        let generator = fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        return generator
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

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

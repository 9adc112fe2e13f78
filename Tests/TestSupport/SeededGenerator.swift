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

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

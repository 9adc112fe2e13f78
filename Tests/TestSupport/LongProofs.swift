import Foundation

/// How many rounds a random test plays: a fixed number, or more for as long as `TRIBUTARY_LONG_PROOFS` says, in seconds for
/// each test.
///
/// Only this type reads the variable.
package struct LongProofs: Sequence, IteratorProtocol {
    private static let seconds =
        ProcessInfo.processInfo.environment["TRIBUTARY_LONG_PROOFS"].flatMap { Double($0) } ?? 0
    package static var isOn: Bool { seconds > 0 }

    private let least: Int
    private let end = ContinuousClock.now + .seconds(LongProofs.seconds)
    private var round = 0

    /// The numbers of the rounds from 0 on: `least` of them at least, and more until the time is over.
    package static func rounds(_ least: Int) -> LongProofs { LongProofs(least: least) }

    private init(least: Int) { self.least = least }

    package mutating func next() -> Int? {
        guard round < least || ContinuousClock.now < end else { return nil }
        defer { round += 1 }
        return round
    }
}

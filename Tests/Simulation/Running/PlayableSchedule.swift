/// A sequence of steps that a simulation plays.
///
/// A seed always gives the same schedule. A step that makes no sense in its place does nothing, so that a schedule can
/// be reduced to the steps that make it fail.
package protocol PlayableSchedule: Sendable, CustomStringConvertible {
    associatedtype Step

    /// The number from which the schedule was drawn.
    var seed: UInt64 { get }
    var steps: [Step] { get set }

    /// Draws a schedule.
    init(seed: UInt64)

    /// Reads the text of a schedule, which its description returns.
    init(text: String) throws

    /// Plays the schedule; throws an error that describes what ends wrong.
    func play() async throws

    /// Returns schedules in which one step is smaller, the smallest first.
    func withSmallerStep(_ index: Int) -> [Self]
}

extension PlayableSchedule {
    package func withSmallerStep(_ index: Int) -> [Self] { [] }

    /// Reduces the schedule to as few and as small steps as possible that still fail.
    package func shrunk(_ fails: (Self) async -> Bool) async -> Self {
        var smallest = self
        var size = max(1, steps.count / 2)
        while size >= 1 {
            var start = 0
            var hasShrunk = false
            while start < smallest.steps.count {
                var candidate = smallest
                candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
                if await fails(candidate) {
                    smallest = candidate
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size > 1 || !hasShrunk { size /= 2 }
        }
        for index in smallest.steps.indices { await smallest.shrinkStep(index, fails) }
        return smallest
    }

    private mutating func shrinkStep(_ index: Int, _ fails: (Self) async -> Bool) async {
        var tried = 0
        while true {
            let candidates = withSmallerStep(index).dropFirst(tried)
            guard let candidate = candidates.first else { return }
            if await fails(candidate) { self = candidate } else { tried += 1 }
        }
    }
}

import SimulationRunning
import TestSupport
import TributaryChanges

/// What a schedule has besides what all have.
package enum Trait: String, Hashable, Sendable, CaseIterable {
    /// The model has uniqueness constraints.
    case unique
    /// Files are encrypted, with keys that are replaced, taken away too early, and lost.
    case encrypted
    /// Only what is signed with trusted keys is taken, and keys are revoked.
    case trusted
    /// The log folders are limited.
    case limited
    /// Single files are lost everywhere.
    case lossy
    /// Something else takes the names of segments.
    case hostile
    /// Clocks are wrong for days or years.
    case astray
}

/// A sequence of steps with some replicas and producers.
package struct Schedule: Sendable {
    package var replicas: Int
    package var producers: Int
    /// The number from which the schedule was drawn; it also decides how the settings of the replicas differ.
    package var seed: UInt64
    package var steps: [Step]
    package var traits: Set<Trait>

    var isUnique: Bool { traits.contains(.unique) }

    /// Whether the model grows, at the latest in the end: a migration of all stores costs as much as the rest.
    var grows: Bool { seed % 4 == 0 }

    /// Creates a schedule that an earlier run has found.
    package init(
        replicas: Int = 2,
        producers: Int = 1,
        seed: UInt64 = 0,
        traits: Set<Trait> = [],
        _ steps: [Step]
    ) {
        self.replicas = replicas
        self.producers = producers
        self.steps = steps
        self.seed = seed
        self.traits = traits
    }
}

/// A schedule is a line with its numbers, and its steps.
extension Schedule: CustomStringConvertible {
    package var description: String {
        let words = ["schedule", "\(replicas)", "\(producers)", "\(seed)"] + traits.map(\.rawValue).sorted()
        return ([words.joined(separator: " ")] + steps.map(\.description)).joined(separator: "\n") + "\n"
    }

    /// Reads the text of a schedule.
    ///
    /// - Throws: ``Divergence`` that names a line which is none of a schedule; what reading the changes throws.
    package init(text: String) throws {
        var lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }[...]
        let words = (lines.popFirst() ?? "").split(separator: " ")
        let numbers = words.compactMap { UInt64($0) }
        let traits = words.dropFirst(4).compactMap { Trait(rawValue: String($0)) }
        guard numbers.count == 3, words.count == 4 + traits.count else {
            throw Divergence("the first line is not 'schedule REPLICAS PRODUCERS SEED' and traits")
        }
        self.init(
            replicas: Int(numbers[0]),
            producers: Int(numbers[1]),
            seed: numbers[2],
            traits: Set(traits),
            []
        )
        while let line = lines.popFirst() {
            var changes: [String] = []
            while let next = lines.first, next.hasPrefix(" ") {
                changes.append(String(next.drop { $0 == " " }))
                lines.removeFirst()
            }
            guard let step = Step(String(line), changes: try Schedule.changes(changes)) else {
                throw Divergence("this is not a step: \(line)")
            }
            steps.append(step)
        }
    }

    private static func changes(_ lines: [String]) throws -> [Change] {
        var header: [UInt8] = []
        TransactionHeader(sequence: 1, clock: HybridClock(milliseconds: 1), changeCount: 1).write(to: &header)
        let first = String(decoding: header.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        // Programs save in any order, which a segment may not have.
        return try lines.flatMap { line in
            let text = SegmentText(writer: UniqueID(high: 1, low: 1), last: 1, [first, line])
            return try text.transactions().flatMap(\.changes)
        }
    }
}

extension Schedule: PlayableSchedule {
    package func play() async throws { try await World.play(self) }

    package func withSmallerStep(_ index: Int) -> [Schedule] {
        func without(_ changes: [Change], _ step: ([Change]) -> Step) -> [Schedule] {
            changes.indices.map { place in
                var (schedule, rest) = (self, changes)
                rest.remove(at: place)
                schedule.steps[index] = step(rest)
                return schedule
            }
        }
        return switch steps[index] {
        case .save(let replica, let crash, let changes):
            without(changes) { .save(replica: replica, crash: crash, $0) }
        case .produce(let producer, let skew, let changes):
            without(changes) { .produce(producer: producer, skew: skew, $0) }
        default: []
        }
    }
}

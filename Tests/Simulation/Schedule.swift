import TestSupport

/// A sequence of steps with some replicas and producers.
struct Schedule: Sendable {
    var replicas: Int
    var producers: Int
    var seed: UInt64
    var steps: [Step]
    /// Whether the model has uniqueness constraints.
    var isUnique = false

    /// Creates a schedule that an earlier run has found.
    init(replicas: Int = 2, producers: Int = 1, isUnique: Bool = false, _ steps: [Step]) {
        self.isUnique = isUnique
        self.replicas = replicas
        self.producers = producers
        self.steps = steps
        seed = 0
    }

    init(seed: UInt64, isUnique: Bool = false) {
        self.seed = seed
        self.isUnique = isUnique
        var generator = ChangeGenerator(SeededGenerator(seed: seed), sharesTexts: isUnique)
        replicas = generator.number(2...3)
        producers = generator.number(0...2)
        steps = []
        for _ in 0..<generator.number(15...45) { steps.append(step(&generator)) }
    }

    private func step(_ generator: inout ChangeGenerator) -> Step {
        let replica = generator.number(0...(replicas - 1))
        switch generator.number(0...19) {
        case 0...5: return .save(replica: replica, generator.changes(isKnown: true))
        case 6...9 where producers > 0:
            return .produce(
                producer: generator.number(0...(producers - 1)),
                skew: generator.number(-2...2),
                generator.changes(isKnown: false)
            )
        case 16:
            return .abort(
                writer: generator.number(0...(replicas + producers - 1)),
                to: replica,
                count: generator.number(1...3),
                piece: generator.number(1...4),
                after: generator.number(0...9)
            )
        case 17: return .tick
        case 18: return .check(replica: replica)
        case 19:
            switch generator.number(0...5) {
            case 0: return .restart(replica: replica)
            case 1: return .grow(replica: replica)
            case 2...4: return .join(from: generator.number(0...(replicas - 1)), to: replica)
            default: return .tick
            }
        default:
            return .deliver(
                writer: generator.number(0...(replicas + producers - 1)),
                to: replica,
                overlap: generator.number(0...2),
                count: generator.number(1...5),
                piece: generator.number(1...4),
                slice: generator.number(1...8)
            )
        }
    }

    /// Reduces the schedule to as few steps and changes as possible that still fail.
    func shrunk(_ fails: (Schedule) -> Bool) -> Schedule {
        var smallest = self
        var size = max(1, steps.count / 2)
        while size >= 1 {
            var start = 0
            var hasShrunk = false
            while start < smallest.steps.count {
                var candidate = smallest
                candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
                if fails(candidate) {
                    smallest = candidate
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size > 1 || !hasShrunk { size /= 2 }
        }
        return smallest.withFewerChanges(fails)
    }

    private func withFewerChanges(_ fails: (Schedule) -> Bool) -> Schedule {
        var smallest = self
        for index in smallest.steps.indices {
            var place = 0
            while true {
                var candidate = smallest
                switch candidate.steps[index] {
                case .save(let replica, var changes):
                    guard place < changes.count else { break }
                    changes.remove(at: place)
                    candidate.steps[index] = .save(replica: replica, changes)
                case .produce(let producer, let skew, var changes):
                    guard place < changes.count else { break }
                    changes.remove(at: place)
                    candidate.steps[index] = .produce(producer: producer, skew: skew, changes)
                default: break
                }
                guard candidate.steps[index] != smallest.steps[index] else { break }
                if fails(candidate) { smallest = candidate } else { place += 1 }
            }
        }
        return smallest
    }
}

extension Schedule {
    /// Reduces the schedule to as few steps and changes as possible that still fail.
    package func shrunk(_ fails: (Schedule) async -> Bool) async -> Schedule {
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
        return await smallest.withFewerChanges(fails)
    }

    private func withFewerChanges(_ fails: (Schedule) async -> Bool) async -> Schedule {
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
                if await fails(candidate) { smallest = candidate } else { place += 1 }
            }
        }
        return smallest
    }
}

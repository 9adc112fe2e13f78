import TestSupport

extension Schedule {
    /// Draws a schedule; a seed always gives the same one.
    package init(seed: UInt64) {
        let isUnique = seed % 3 == 1
        var generator = ChangeGenerator(SeededGenerator(seed: seed), sharesTexts: isUnique)
        let replicas: Int
        switch generator.number(0...19) {
        case 0...9: replicas = 2
        case 10...16: replicas = 3
        case 17, 18: replicas = generator.number(4...5)
        default: replicas = generator.number(6...7)
        }
        self.init(replicas: replicas, producers: generator.number(0...2), seed: seed, isUnique: isUnique, [])
        for _ in 0..<generator.number(15...50) {
            let step = step(&generator)
            if !isException(step) { steps.append(step) }
        }
    }

    /// Whether one of two clones is evicted or moves, which is an exception of the merge rules.
    private func isException(_ step: Step) -> Bool {
        func clones(_ step: Step) -> Bool { if case .clone = step { true } else { false } }
        func parts(_ step: Step) -> Bool {
            switch step {
            case .evict, .move: true
            default: false
            }
        }
        return clones(step) && steps.contains(where: parts) || parts(step) && steps.contains(where: clones)
    }

    private func step(_ generator: inout ChangeGenerator) -> Step {
        let replica = generator.number(0...(replicas - 1))
        let writer = generator.number(0...(replicas + producers - 1))
        switch generator.number(0...greatest) {
        case 60...: return identityStep(replica, &generator)
        case 40... where compacts: return compactionStep(replica, writer, &generator)
        case 40... where losesFolders: return placeStep(replica, &generator)
        case 40...: return identityStep(replica, &generator)
        case 0...7: return .save(replica: replica, generator.changes(isKnown: true))
        case 8...13 where producers > 0:
            return .produce(
                producer: generator.number(0...(producers - 1)),
                skew: generator.number(-2...2),
                generator.changes(isKnown: false)
            )
        case 14...19:
            let crash: CrashPoint? =
                switch generator.number(0...9) {
                case 0: .exportBegun
                case 1: .exportPlaced
                default: nil
                }
            return .export(writer: writer, crash: crash)
        case 20...28:
            return .carry(
                writer: writer,
                to: replica,
                skip: max(-2, generator.number(-6...3)) < 0 ? -1 : max(0, generator.number(-2...2)),
                fault: fault(&generator),
                isHeard: generator.number(0...1) == 0
            )
        case 29...34:
            let crash: CrashPoint? =
                switch generator.number(0...9) {
                case 0: .importBeforeCommit
                case 1: .importAfterCommit
                default: nil
                }
            return .importing(
                replica: replica,
                count: generator.number(0...2) == 0 ? generator.number(1...4) : 1_000,
                isWhole: generator.number(0...2) > 0,
                crash: crash
            )
        case 35: return .tick
        case 36: return .check(replica: replica)
        case 37: return .acknowledge(replica: replica)
        default: return rareStep(replica, &generator)
        }
    }

    /// The greatest number that stands for a step, of which there are more where schedules have something of their own.
    private var greatest: Int {
        switch (compacts, changesIdentities) {
        case (true, true): 66
        case (true, false): 59
        case (false, true): forks ? 47 : 43
        case (false, false): losesFolders ? 45 : 39
        }
    }

    private func placeStep(_ replica: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...9) {
        case 0...4: return .lose(replica: replica, FolderLoss.allCases[generator.number(0...2)])
        case 5...7: return .recover(replica: replica)
        default: return .move(replica: replica, Relocation.allCases[generator.number(0...3)])
        }
    }

    private func identityStep(_ replica: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...9) {
        case 0...3: return .snapshot(replica: replica)
        case 4... where forks && generator.number(0...3) > 0: return .restore(replica: replica, .machine)
        case 4...7:
            let kinds = Restoration.allCases
            return .restore(replica: replica, kinds[generator.number(0...(kinds.count - 1))])
        // Copies of forked stores are no part of these schedules.
        case 8... where forks: return .snapshot(replica: replica)
        case 8 where generator.number(0...1) == 0:
            return .move(replica: replica, Relocation.allCases[generator.number(0...3)])
        default:
            return .clone(
                from: generator.number(0...(replicas - 1)),
                to: replica,
                isSameMachine: generator.number(0...1) == 0,
                hasFolder: generator.number(0...1) == 0
            )
        }
    }

    private func compactionStep(_ replica: Int, _ writer: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...19) {
        case 0...6: .compact(replica: replica, isRequested: generator.number(0...3) > 0)
        case 7, 8: .evict(replica: replica, writer: writer)
        case 9: .abandon(replica: replica, writer: writer)
        default: .exchange(from: writer, to: replica)
        }
    }

    private func rareStep(_ replica: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...9) {
        case 0: .restart(replica: replica)
        case 1: .crash(replica: replica)
        case 2: grows ? .grow(replica: replica) : .tick
        case 3...6:
            .join(
                from: generator.number(0...(replicas - 1)),
                to: replica,
                damage: generator.number(0...4) == 0 ? generator.number(0...99) : nil
            )
        case 7: .jump(replica: replica, seconds: generator.number(-9_000...9_000))
        case 8: .jump(replica: replica, seconds: generator.number(-3...3))
        default: .tick
        }
    }

    private func fault(_ generator: inout ChangeGenerator) -> FileFault {
        switch generator.number(0...19) {
        case 0, 1: .partial(generator.number(0...99))
        case 2: .appended
        case 3: .damaged(generator.number(0...99))
        case 4: .conflictCopy(generator.number(0...1) == 0 ? 100 : generator.number(0...99))
        case 5: .removed
        case 6, 7: .completed
        default: .none
        }
    }
}

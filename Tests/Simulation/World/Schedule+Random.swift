import TestSupport

extension Schedule {
    /// Draws a schedule; a seed always gives the same one.
    package init(seed: UInt64) {
        let traits = Schedule.traits(seed: seed)
        var generator = ChangeGenerator(SeededGenerator(seed: seed), sharesTexts: traits.contains(.unique))
        let replicas: Int
        switch generator.number(0...19) {
        case 0...9: replicas = 2
        case 10...16: replicas = 3
        case 17, 18: replicas = generator.number(4...5)
        default: replicas = generator.number(6...7)
        }
        self.init(replicas: replicas, producers: generator.number(0...2), seed: seed, traits: traits, [])
        for _ in 0..<generator.number(15...50) { steps.append(step(&generator)) }
    }

    /// From this seed on, schedules have traits.
    package static let firstSeedWithTraits: UInt64 = 1 << 40

    /// Each trait has a sixth of the schedules with traits, so that some have none and some have three.
    private static func traits(seed: UInt64) -> Set<Trait> {
        guard seed >= firstSeedWithTraits else { return seed % 3 == 1 ? [.unique] : [] }
        var random = SeededGenerator(seed: seed ^ 0x7261_6974)
        let drawn = Trait.allCases.filter { $0 != .unique && random.next() % 6 == 0 }
        return Set(drawn + (seed % 3 == 1 ? [.unique] : []))
    }

    private func step(_ generator: inout ChangeGenerator) -> Step {
        let replica = generator.number(0...(replicas - 1))
        let writer = generator.number(0...(replicas + producers - 1))
        let special = Trait.allCases.filter { $0 != .unique && traits.contains($0) }
        if !special.isEmpty, generator.number(0...4) == 0 {
            let trait = special[generator.number(0...(special.count - 1))]
            return step(of: trait, replica, writer, &generator)
        }
        switch generator.number(0...62) {
        case 0...9:
            let crash = generator.number(0...11)
            return .save(
                replica: replica,
                crash: crash == 0 ? .saveBeforeCommit : crash == 1 ? .saveAfterCommit : nil,
                generator.changes(isKnown: true)
            )
        case 10...15 where producers > 0:
            return .produce(
                producer: generator.number(0...(producers - 1)),
                skew: generator.number(-2...2),
                generator.changes(isKnown: false)
            )
        case 16...22:
            let crash = generator.number(0...9)
            return .export(writer: writer, crash: crash == 0 ? .exportBegun : crash == 1 ? .exportPlaced : nil)
        case 23...31:
            return .carry(
                writer: writer,
                to: replica,
                skip: max(-2, generator.number(-6...3)) < 0 ? -1 : max(0, generator.number(-2...2)),
                fault: fault(&generator),
                isHeard: generator.number(0...1) == 0
            )
        case 32...38:
            let crash = generator.number(0...9)
            return .importing(
                replica: replica,
                count: generator.number(0...2) == 0 ? generator.number(1...4) : 1_000,
                isWhole: generator.number(0...2) > 0,
                crash: crash == 0 ? .importBeforeCommit : crash == 1 ? .importAfterCommit : nil
            )
        case 39: return .tick
        case 40: return .check(replica: replica)
        case 41: return .acknowledge(replica: replica)
        case 42...44: return rareStep(replica, &generator)
        case 45...49: return identityStep(replica, &generator)
        case 50, 51: return placeStep(replica, &generator)
        default: return compactionStep(replica, writer, &generator)
        }
    }

    private func step(of trait: Trait, _ replica: Int, _ writer: Int, _ generator: inout ChangeGenerator) -> Step {
        if generator.number(0...5) == 0 { return .administer(replica: replica) }
        switch trait {
        case .unique: return .tick
        case .encrypted:
            let change = generator.number(0...19)
            return .rekey(
                replica: replica,
                change < 7 ? .adds : change < 14 ? .leads : change < 17 ? .drops : change < 18 ? .removes : .loses
            )
        case .trusted:
            return generator.number(0...3) == 0
                ? .revoke(replica: replica, other: generator.number(0...(replicas - 1)))
                : .export(writer: writer, crash: nil)
        case .limited: return .limit(replica: replica, bytes: generator.number(0...4) * 5_000)
        case .lossy:
            let kind = generator.number(0...5)
            return .vanish(
                writer: writer,
                kind < 4 ? .segment : kind < 5 ? .baseline : .comparison,
                number: generator.number(0...20)
            )
        case .hostile: return .squat(replica: replica, ForeignFile.allCases[generator.number(0...3)])
        case .astray:
            switch generator.number(0...4) {
            case 0: return .jump(replica: replica, seconds: generator.number(1...100) * 1_000_000)
            case 1: return .jump(replica: replica, seconds: generator.number(1...400) * 1_000)
            case 2: return .jump(replica: replica, seconds: -generator.number(1...400) * 1_000)
            default: return .correct(replica: replica)
            }
        }
    }

    private func placeStep(_ replica: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...9) {
        case 0...4: .lose(replica: replica, FolderLoss.allCases[generator.number(0...2)])
        case 5...7: .recover(replica: replica)
        default: .move(replica: replica, Relocation.allCases[generator.number(0...3)])
        }
    }

    private func identityStep(_ replica: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...9) {
        case 0...3: .snapshot(replica: replica)
        case 4...7:
            .restore(
                replica: replica,
                Restoration.allCases[generator.number(0...2)],
                losesToken: generator.number(0...3) == 0
            )
        default:
            .clone(
                from: generator.number(0...(replicas - 1)),
                to: replica,
                CopyKind.allCases[generator.number(0...2)],
                hasFolder: generator.number(0...1) == 0
            )
        }
    }

    private func compactionStep(_ replica: Int, _ writer: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...19) {
        case 0...6: .compact(replica: replica, isRequested: generator.number(0...3) > 0)
        case 7, 8: .evict(replica: replica, writer: writer)
        case 9: .abandon(replica: replica, writer: writer)
        case 10: .spoil(replica: replica)
        default: .exchange(from: writer, to: replica)
        }
    }

    private func rareStep(_ replica: Int, _ generator: inout ChangeGenerator) -> Step {
        switch generator.number(0...9) {
        case 0: .restart(replica: replica)
        case 1: .crash(replica: replica, losesToken: generator.number(0...1) == 0)
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

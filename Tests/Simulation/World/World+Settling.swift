import SimulationRunning
import TestSupport
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

/// The end of a schedule: everything is delivered, and administrators type what the status of their stores says.
extension World {
    /// The rounds without any progress after which nothing more can happen.
    private static let patience = 24

    /// Delivers transactions until every replica has all that can be had, also a new one that publishes nothing.
    ///
    /// A replica that does not come there by itself must have a problem in its status. Its administrator types what the hints say,
    /// first what loses nothing.
    func settle(with added: Replica? = nil) async throws {
        if added == nil {
            clock.tick(100_000)
            for replica in active { replica.heal() }
            for index in activeIndices where index < schedule.replicas { try await recover(index) }
        }
        for replica in parties(added) {
            for other in retired.sorted() { try await revoke(other, at: replica) }
        }
        var (quiet, hasWritten, hasRenewed) = (0, false, added != nil)
        var former: [[UniqueID: UInt64]] = []
        for round in 0... {
            for index in activeIndices where try replicas[index].lacksOwnFolder() { try await bringOwn(index) }
            for number in 0..<schedule.replicas + schedule.producers where !retired.contains(number) {
                try await export(number, crash: nil)
            }
            let goal = try obtainable()
            var stuck = try active.filter { try !$0.hasPublishedAll() }
            for replica in parties(added) {
                let index = replicas.firstIndex { $0 === replica }
                let isBehind = try replica.lacks(goal)
                guard try leaveAll(in: replica) || isBehind else { continue }
                try await replica.takeImportSteps(nil, isWhole: true)
                if let index, index < schedule.replicas { try collect(from: index) }
                if try replica.lacks(goal), !stuck.contains(where: { $0 === replica }) { stuck.append(replica) }
            }
            if stuck.isEmpty { return }
            // A replica that lacks removed segments waits for a while before it joins a baseline.
            clock.tick(100)
            let positions = try parties(added).map { try $0.positions() }
            quiet = positions == former ? quiet + 1 : 0
            former = positions
            guard quiet > 3 else { continue }
            if quiet == 8, Set(active.map(\.model.version)).count > 1 {
                // A machine cannot compare a baseline of another version.
                for replica in active where replica.model.version == "1" { try replica.grow() }
                continue
            }
            if quiet == 12, !hasRenewed {
                hasRenewed = true
                _ = try await makeNextBaseline()
            }
            guard quiet < World.patience, round < 400 else {
                throw Divergence(
                    (["transactions wait for each other for ever"] + (try waits(goal, added))).joined(
                        separator: "\n"
                    )
                )
            }
            if !hasWritten {
                // Only what comes after a lost segment, or is in a baseline, shows that it is lost.
                (hasWritten, quiet) = (true, 0)
                if added == nil { try await writeEverywhere() } else { try await compactEverywhere() }
                continue
            }
            guard try stuck.allSatisfy({ try !$0.problems.isEmpty || $0.lacksOnlyAbandoned(goal) }) else {
                let title = "a store that goes on no more has no problem in its status"
                throw Divergence(([title] + (try waits(goal, added))).joined(separator: "\n"))
            }
            if quiet == 10, try stuck.contains(where: { try $0.lacksOnlyAbandoned(goal) }) {
                try await compactEverywhere()
            }
            for replica in stuck { try await administer(replica, urgency: quiet) }
        }
    }

    private func parties(_ added: Replica?) -> [Replica] { active + (added.map { [$0] } ?? []) }

    /// Lets each replica write something.
    private func writeEverywhere() async throws {
        let unlink = Change.Operation.unlink(to: "members", ids: [SimulationModel.ids(of: "Person")[0]])
        let change = Change(entity: "Project", id: SimulationModel.ids(of: "Project")[0], operation: unlink)
        for index in activeIndices where index < schedule.replicas {
            try await perform(.save(replica: index, [change]))
        }
    }

    /// Has baselines made and compared, as each day does.
    private func compactEverywhere() async throws {
        let indices = activeIndices.filter { $0 < schedule.replicas }
        for index in indices {
            try await compact(index, .requested)
            for other in indices where other != index {
                for log in logs { try leaveBaselines(of: log, in: replicas[other]) }
                try await replicas[other].takeImportSteps(nil, isWhole: true)
                try await compact(other, .automatic)
            }
        }
    }

    /// The last transaction of each writer that every replica must have in the end.
    ///
    /// What any replica or baseline has all can have, and from there on what the segments have that are not lost, as far
    /// as everything is there that a transaction was made after.
    func obtainable() throws -> [UniqueID: UInt64] {
        var goal: [UniqueID: UInt64] = [:]
        for replica in active { goal.merge(try replica.positions(), uniquingKeysWith: max) }
        // What is not published yet nobody else can have.
        for log in logs { goal[log.writer] = goal[log.writer].map { min($0, UInt64(log.published)) } }
        for baseline in logs.flatMap(\.baselines) where !baseline.isRemoved && !baseline.isWrong {
            guard !isRevoked(baseline.name.writer) else { continue }
            goal.merge(baseline.vector, uniquingKeysWith: max)
        }
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for log in logs {
                while let next = log.next(after: goal[log.writer] ?? 0), log.isApplicable(next, goal, except: abandoned)
                {
                    goal[log.writer] = next.header.sequence
                    hasGrown = true
                }
            }
        }
        let isWhole = retired.isEmpty && logs.allSatisfy { $0.lost.isEmpty }
        for log in logs where isWhole && goal[log.writer] ?? 0 < UInt64(log.published) {
            throw Divergence("nothing is lost, and \(log.writer) \((goal[log.writer] ?? 0) + 1) cannot be had")
        }
        return goal
    }

    /// Brings a copy that came without its log folder what there is of its writers, or makes the folder anew.
    private func bringOwn(_ index: Int) async throws {
        for segment in sources(index).flatMap({ logs[$0].present }) { try leave(segment, in: replicas[index]) }
        for log in sources(index) { try leaveBaselines(of: logs[log], in: replicas[index]) }
        try await replicas[index].repair()
    }

    /// The transactions that each replica lacks in the end, in words.
    private func waits(_ goal: [UniqueID: UInt64], _ added: Replica?) throws -> [String] {
        try parties(added).flatMap { replica -> [String] in
            let name = replicas.firstIndex { $0 === replica }.map { "replica \($0)" } ?? "the new replica"
            let positions = try replica.positions()
            var lines: [String] = logs.compactMap { log -> String? in
                let (position, wanted) = (positions[log.writer] ?? 0, goal[log.writer] ?? 0)
                guard position < wanted else { return nil }
                return "\(name) has \(position) of \(wanted) transactions of \(log.writer) in "
                    + log.segments.map { "\($0.name.first)-\($0.name.last)\(log.isGone($0) ? " (gone)" : "")" }
                    .joined(separator: ", ")
            }
            if try added !== replica && !replica.hasPublishedAll() { lines.append("\(name) has not published all") }
            guard !lines.isEmpty else { return [] }
            return lines + (try replica.problems.map { "  \($0.code): \($0.detail) \($0.hint ?? "")" })
        }
            + logs.flatMap { log in
                log.baselines.filter { !$0.isRemoved }.map { "baseline \($0.name.path): \($0.vector)" }
                    + log.comparisons.values.filter { !$0.isRemoved }.map(\.found.line)
            }
    }
}

extension Replica {
    /// Whether the store lacks any of these transactions.
    func lacks(_ goal: [UniqueID: UInt64]) throws -> Bool {
        let positions = try positions()
        return goal.contains { positions[$0.key] ?? 0 < $0.value }
    }

    /// Whether the store lacks only transactions that its administrator has given up: nothing but a baseline brings them.
    func lacksOnlyAbandoned(_ goal: [UniqueID: UInt64]) throws -> Bool {
        let positions = try positions()
        return try goal.allSatisfy { writer, wanted in
            try positions[writer] ?? 0 >= wanted || states(ofStoreOf: writer)[writer] == .abandoned
        }
    }
}

/// What an administrator types.
extension World {
    /// Types what the hints of a replica's problems say; with a greater urgency also what may lose something.
    func administer(_ replica: Replica, urgency: Int) async throws {
        let index = replicas.firstIndex { $0 === replica }
        if let index, retired.contains(index) { return }
        // Each command changes what the status says.
        for problem in try replica.problems {
            for remedy in Remedy.all(in: problem.hint ?? "") {
                try await type(remedy, at: replica, index, about: problem.writer, urgency: urgency)
            }
            // The trusted machines have made their own baselines: those of a stolen one are removed.
            if problem.code == .baselineRefused, let writer = problem.writer, isRevoked(writer), urgency > 0 {
                for baseline in logs.flatMap(\.baselines) where baseline.name.writer == writer { lose(baseline.name) }
            }
        }
        guard let index else { return }
        try collect(from: index)
        try collectSegments(from: index)
    }

    private func type(
        _ remedy: Remedy,
        at replica: Replica,
        _ index: Int?,
        about writer: UniqueID?,
        urgency: Int
    ) async throws {
        switch remedy {
        case .accept(let name): try await accept(name, at: replica, urgency: urgency)
        case .acceptBaseline(let name): try await accept(name, at: replica, index)
        case .trust(let writer, let key):
            guard !isRevoked(writer) else { return }
            do {
                try await replica.request { try await $0.setTrust(.trusted, of: writer, key: key) }
                Occurrences.note("typed: writer trust")
            } catch is SyncError {
                // What is held is not signed, or with several keys: it is accepted file by file.
            }
        case .abandon(let writer): try await abandon(writer, at: replica, urgency: urgency)
        case .restamp: try await restamp(replica)
        case .compact:
            for other in activeIndices where other < schedule.replicas { try await compact(other, .requested) }
        case .repair:
            // What is missing comes back on the machines that wrote it.
            let owners = activeIndices.filter { number in
                writer.map(replicas[number].writers.contains) ?? (number == index)
            }
            for owner in owners where owner < schedule.replicas {
                if replicas[owner].folder.loss == nil { try await replicas[owner].repair() }
                try await recover(owner)
                try collect(from: owner)
                try collectSegments(from: owner)
            }
        case .remove(let name):
            guard replica.folder.loss != .unmounted else { return }
            if try !replica.folder.removeForeign(name) {
                // An earlier command may have published the segment.
                try await replica.takeImportSteps(nil, isWhole: true)
                let wrong = try replica.problems.first { problem in
                    Remedy.all(in: problem.hint ?? "").contains { if case .remove(name) = $0 { true } else { false } }
                }
                if let wrong {
                    throw Divergence("a hint says that the whole segment \(name) is to be removed: \(wrong.detail)")
                }
                return
            }
            Occurrences.note("typed: rm")
        case .addKeys:
            let missing = fleetKeys.present.filter { !replica.keys.contains($0) }
            // What is encrypted with a lost key is in the stores that have applied it.
            if missing.isEmpty { try await compactEverywhere() } else { replica.setKeys(replica.keys + missing) }
        case .raiseAhead(let seconds):
            guard urgency > 0 else { return }
            let former = replica.settings.maxAhead
            replica.reconfigure { $0.maxAhead = .seconds(seconds + 3_600) }
            replica.endSync()
            try await replica.takeImportSteps(nil, isWhole: true)
            // What is missing may still come, for a while.
            clock.tick(100)
            try await replica.takeImportSteps(nil, isWhole: true)
            replica.reconfigure { $0.maxAhead = former }
            Occurrences.note("typed: clock.max_ahead")
        case .raiseLimit:
            guard urgency > 2 else { return }
            replica.reconfigure { $0.maxBytes = nil }
            Occurrences.note("typed: logs.max_bytes")
        }
    }

    /// Accepts a held segment; one of a stolen machine only when another replica has applied it, and else it is removed.
    private func accept(_ name: SegmentName, at replica: Replica, urgency: Int) async throws {
        let others = try active.filter { $0 !== replica }.map { try $0.position(of: name.writer) }.max() ?? 0
        if isRevoked(name.writer), others < name.first {
            guard urgency > 0 else { return }
            Occurrences.note("segment of a stolen machine removed")
            if let log = log(of: name.writer) { logs[log].lose(name) }
            for replica in replicas { replica.folder.lose(name) }
            return
        }
        do {
            // Nobody runs the loops for which a request would wait.
            do {
                _ = try await replica.request { try await $0.accept(name) }
            } catch SyncError.notRunning {}
            Occurrences.note("typed: segment accept")
        } catch is SyncError {
            // Another command of the hint has helped.
        }
    }

    private func accept(_ name: BaselineName, at replica: Replica, _ index: Int?) async throws {
        guard !isRevoked(name.writer) else { return }
        guard !logs.flatMap(\.baselines).contains(where: { $0.name == name && $0.isWrong }) else {
            // The machine that made it finds that its data are wrong, and makes another one.
            lose(name)
            return try await compactEverywhere()
        }
        var isUnusable = false
        let type = {
            do {
                _ = try await replica.request { try await Compactor(sync: $0).accept(name, isUnproven: false) }
            } catch SyncError.baselineUnproven {
                _ = try await replica.request { try await Compactor(sync: $0).accept(name, isUnproven: true) }
            } catch SyncError.noSuchBaseline {
                return
            } catch SyncError.baselineUnusable {
                // It is of a version of the model that no machine has any more.
                isUnusable = true
                return
            }
            Occurrences.note("typed: baseline accept")
        }
        if let index { try await recordingBaselines(of: index, type) } else { try await type() }
        guard isUnusable else { return }
        try await writeEverywhere()
        try await compactEverywhere()
    }

    /// Gives up what no replica and no baseline has.
    private func abandon(_ writer: UniqueID, at replica: Replica, urgency: Int) async throws {
        let position = try replica.position(of: writer)
        guard urgency > 10, try obtainable()[writer] ?? 0 <= position else { return }
        guard try await replica.abandon(writer) else { return }
        Occurrences.note("typed: writer abandon")
        abandoned.formUnion(try replica.states(ofStoreOf: writer).keys)
        abandoned.insert(writer)
    }

    /// Sets the clock of a machine right, or gives what is ahead of a right one other clocks.
    private func restamp(_ replica: Replica) async throws {
        guard replica.clock.isRight else { return replica.heal() }
        replica.mayRename = true
        do {
            _ = try await replica.request { try await $0.restamp() }
            Occurrences.note("typed: writer restamp")
        } catch is RestampError {
            Occurrences.note("restamp refused")
        }
    }
}

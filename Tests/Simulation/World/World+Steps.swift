import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

extension World {
    func perform(_ step: Step) async throws {
        switch step {
        case .save(let replica, let changes):
            _ = try replicas[replica].save(changes)
            try collectNew(from: replica)
        case .produce(let producer, let skew, let changes):
            logs[schedule.replicas + producer].produce(changes, at: clock.time(skew: skew))
        case .export(let writer, let crash): try await export(writer, crash: crash)
        case .carry(let writer, let to, let skip, let fault, let isHeard):
            try carry(writer, to: to, skip: skip, fault, isHeard: isHeard)
        case .importing(let replica, let count, let isWhole, let crash):
            try await checkIdentity(replica)
            let hasEnded = try await replicas[replica].takeImportSteps(count, isWhole: isWhole, crash: crash)
            try collect(from: replica)
            if hasEnded { try check(replicas[replica], "replica \(replica) after its program ended in an import") }
        case .acknowledge(let replica):
            try await replicas[replica].acknowledge()
            try collectNew(from: replica)
        case .restart(let replica): try replicas[replica].restart()
        case .crash(let replica):
            try replicas[replica].crash()
            try check(replicas[replica], "replica \(replica) after its program ended")
        case .grow(let replica):
            try replicas[replica].grow()
            try check(replicas[replica], "replica \(replica) with a grown model")
        case .join(let from, let to, let damage): try await join(from: from, to: to, damage: damage)
        case .snapshot(let replica): try replicas[replica].takeSnapshot()
        case .restore(let replica, let kind): try await restore(replica, kind)
        case .clone(let from, let to, let isSameMachine, let hasFolder):
            try await clone(from: from, to: to, isSameMachine: isSameMachine, hasFolder: hasFolder)
        case .move(let replica, let kind): try await move(replica, kind)
        case .lose(let replica, let loss): try lose(replica, loss)
        case .recover(let replica): try await recover(replica)
        case .compact(let replica, let isRequested):
            try await compact(replica, isRequested ? .requested : .automatic)
        case .exchange(let from, let to): try await exchange(from, to)
        case .evict(let replica, let writer): try await evict(writer, by: replica)
        case .abandon(let replica, let writer): try await abandon(writer, by: replica)
        case .tick: clock.tick()
        case .jump(let replica, let seconds): replicas[replica].clock.jump(seconds)
        case .check(let replica): try check(replicas[replica], "replica \(replica)")
        }
    }

    private func export(_ writer: Int, crash: CrashPoint?) async throws {
        guard writer < schedule.replicas else { return logs[writer].publish() }
        try await checkIdentity(writer)
        let before = segments(writer).count
        let hasEnded = try await replicas[writer].export(crash: crash)
        try collect(from: writer)
        try collectSegments(from: writer)
        // The machine may end before the name of the file is on its disk, while a peer has the file already.
        let published = segments(writer)
        if hasEnded, crash == .exportPlaced, !isForked, schedule.seed % 2 == 0, published.count > before {
            replicas[writer].folder.lose(published[published.count - 1].name)
        }
    }

    private func carry(_ writer: Int, to: Int, skip: Int, _ fault: FileFault, isHeard: Bool) throws {
        let segments = segments(writer)
        guard writer != to, !segments.isEmpty else { return }
        if isForked, try carryForked(writer, to: to, skip: skip, fault, isHeard: isHeard) { return }
        let positions = try replicas[to].positions()
        let next = segments.firstIndex { $0.name.last > positions[$0.name.writer] ?? 0 } ?? segments.count
        let segment = segments[min(max(next + skip, 0), segments.count - 1)]
        let position = positions[segment.name.writer] ?? 0
        let isInside = segment.name.first <= position && position < segment.name.last
        if case .conflictCopy = fault, replicas[to].hasJoined, isInside { return }
        let isRemoved = logs.contains { $0.isGone(segment.name) }
        try replicas[to].folder.leave(segment, isRemoved ? .removed : fault)
        if isHeard { try replicas[to].hear(of: segment.name) }
    }

    /// Lets a replica join the baseline of another one, which may know more of some writers and less of others.
    ///
    /// A baseline is cut after an export: it has no transaction that is in no segment.
    private func join(from: Int, to: Int, damage: Int?) async throws {
        guard from != to, replicas[from].model.version == replicas[to].model.version else { return }
        try await export(from, crash: nil)
        guard hasPublishedAll(replicas[from]) else { return }
        if schedule.forks { return try joinForked(from: from, to: to, damage: damage) }
        // The sync cuts no baseline before the store has recorded that its last segment is in place.
        guard try replicas[from].store.read({ try $0.outbox.unfinishedExports().isEmpty }) else { return }
        // A copy of a segment of which a baseline has a part would seem to be a branch; the sync cuts no such baseline.
        guard try !replicas[to].folder.hasCopies || hasWholeSegments(replicas[from]) else { return }
        let baseline = try replicas[from].baseline()
        replicas[to].endSync()
        do {
            if let damage {
                try replicas[to].refuse(baseline, damagedAt: damage)
            } else {
                _ = try replicas[to].join(baseline)
            }
        } catch BaselineJoinError.ownWriterAhead(let sequence, let known) where known == replicas[to].own.count {
            // A store that is older than its own segments becomes another writer first.
            guard let log = log(of: replicas[to].writer), logs[log].transactions.count >= sequence else {
                throw Divergence("replica \(to) refuses a baseline of replica \(from)")
            }
            return
        }
        try check(replicas[to], "replica \(to) after it joined the baseline of replica \(from)")
        if damage == nil { try demandNoEffect(baseline, on: replicas[to]) }
    }

    /// Whether a replica has applied a part of no segment.
    private func hasWholeSegments(_ replica: Replica) throws -> Bool {
        let positions = try replica.positions()
        return logs.allSatisfy { log in
            let position = positions[log.writer] ?? 0
            return !log.segments.contains { $0.name.first <= position && position < $0.name.last }
        }
    }

    /// Whether all that a replica has committed is in segments.
    private func hasPublishedAll(_ replica: Replica) -> Bool {
        guard let log = log(of: replica.writer) else { return replica.own.isEmpty }
        // A copy that is not another writer yet may have as many transactions as its original, but others.
        return logs[log].publishedCount(of: replica.own) == replica.own.count
    }

    /// Whether a store knows of the segments of all that it has committed, which its original may have published.
    private func hasRecordedAll(_ replica: Replica) throws -> Bool {
        try replica.store.read { try $0.outbox.lastExported() >= $0.writers.own().sequence }
    }

    /// Delivers transactions until every replica has all of them.
    func settle() async throws {
        clock.tick(100_000)
        for replica in replicas { replica.clock.heal() }
        for index in 0..<schedule.replicas { try await recover(index) }
        for round in 0... {
            for writer in 0..<schedule.replicas + schedule.producers { try await export(writer, crash: nil) }
            var isComplete = try replicas.prefix(schedule.replicas).allSatisfy {
                try hasPublishedAll($0) && hasRecordedAll($0)
            }
            for (index, replica) in replicas.enumerated() {
                guard try isForked ? leaveBranches(in: replica) : leaveAll(in: replica) else { continue }
                isComplete = false
                try await replica.takeImportSteps(nil, isWhole: true)
                if index < schedule.replicas { try collect(from: index) }
            }
            if isComplete { break }
            // A replica that lacks removed segments waits for a while before it joins a baseline.
            // One that meets another branch of its own writer waits for the rest of it.
            if schedule.compacts || isForked { clock.tick(100) }
            guard round < 100 else {
                throw Divergence(
                    (["transactions wait for each other for ever"] + (try waits())).joined(separator: "\n")
                )
            }
        }
    }

    /// The transactions that each replica lacks in the end, in words.
    private func waits() throws -> [String] {
        guard !isForked else { return try replicas.enumerated().flatMap { try lackedBranches($1, "replica \($0)") } }
        return try replicas.enumerated().flatMap { index, replica in
            let positions = try replica.positions()
            var lines = logs.compactMap { log -> String? in
                let (position, count) = (positions[log.writer] ?? 0, log.transactions.count)
                guard log.writer != replica.writer, position < count else { return nil }
                let removed = log.removed.filter { $0.last > position }.count
                return "replica \(index) has \(position) of \(count) transactions of \(log.writer), "
                    + "\(removed) of whose further segments are removed"
            }
            if index < schedule.replicas, !hasPublishedAll(replica) {
                lines.append("replica \(index), the writer \(replica.writer), has not published all")
            }
            let baselines = logs.flatMap(\.baselines).filter { !$0.isRemoved }
            return lines + (lines.isEmpty ? [] : baselines.map { "baseline \($0.name.path): \($0.vector)" })
        }
    }

    /// Leaves whole copies of all segments that a replica lacks, and of all baselines when it lacks any.
    ///
    /// - Returns: Whether there are transactions that the replica has not applied.
    private func leaveAll(in replica: Replica) throws -> Bool {
        var isBehind = false
        let positions = try replica.positions()
        for log in logs {
            let isOwn = log.writer == replica.writer
            let position = isOwn ? 0 : positions[log.writer] ?? 0
            guard position < UInt64(log.transactions.count) else { continue }
            // A copy that is not another writer yet lacks what its original has written since.
            isBehind = isBehind || !isOwn || log.transactions.count > replica.own.count
            for segment in log.present where segment.name.last > position && !replica.folder.has(segment.name) {
                try replica.folder.leave(segment, .none)
            }
        }
        guard schedule.compacts, isBehind else { return isBehind }
        // The baselines that have a writer's removed segments are those of any two writers.
        for log in logs where log.writer != replica.writer { try leaveBaselines(of: log, in: replica) }
        return isBehind
    }
}

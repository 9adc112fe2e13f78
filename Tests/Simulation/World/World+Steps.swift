import SimulationRunning
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

extension World {
    func perform(_ step: Step) async throws {
        switch step {
        case .save(let replica, let crash, let changes):
            _ = try replicas[replica].save(changes, crash: crash)
            try collectNew(from: replica)
        case .produce(let producer, let skew, let changes): logs[producer].produce(changes, at: clock.time(skew: skew))
        case .export(let writer, let crash): try await export(writer, crash: crash)
        case .carry(let writer, let to, let skip, let fault, let isHeard):
            try carry(writer, to: to, skip: skip, fault, isHeard: isHeard)
        case .importing(let replica, let count, let isWhole, let crash):
            let hasEnded = try await replicas[replica].takeImportSteps(count, isWhole: isWhole, crash: crash)
            try collect(from: replica)
            if hasEnded { try check(replicas[replica], "replica \(replica) after its program ended in an import") }
        case .acknowledge(let replica):
            try await replicas[replica].acknowledge()
            try collectNew(from: replica)
        case .restart(let replica): try replicas[replica].restart()
        case .crash(let replica, let losesToken):
            try replicas[replica].crash()
            if losesToken { replicas[replica].loseToken() }
            try check(replicas[replica], "replica \(replica) after its program ended")
        case .grow(let replica):
            try replicas[replica].grow()
            try check(replicas[replica], "replica \(replica) with a grown model")
        case .join(let from, let to, let damage): try await join(from: from, to: to, damage: damage)
        case .snapshot(let replica): try replicas[replica].takeSnapshot()
        case .restore(let replica, let kind, let losesToken): try await restore(replica, kind, losesToken: losesToken)
        case .clone(let from, let to, let kind, let hasFolder):
            try await clone(from: from, to: to, kind, hasFolder: hasFolder)
        case .move(let replica, let kind): try await move(replica, kind)
        case .lose(let replica, let loss): try lose(replica, loss)
        case .recover(let replica): try await recover(replica)
        case .compact(let replica, let isRequested):
            try await compact(replica, isRequested ? .requested : .automatic)
        case .spoil(let replica): try await spoil(replica)
        case .exchange(let from, let to): try await exchange(from, to)
        case .evict(let replica, let writer): try await evict(writer, by: replica)
        case .abandon(let replica, let writer): try await abandon(writer, by: replica)
        case .tick: clock.tick()
        case .jump(let replica, let seconds): replicas[replica].jump(seconds)
        case .check(let replica): try check(replicas[replica], "replica \(replica)")
        case .correct(let replica): replicas[replica].heal()
        case .vanish(let writer, let kind, let number): vanish(writer, kind, number)
        case .squat(let replica, let kind):
            if try replicas[replica].squat(kind) { Occurrences.note("a name is taken: \(kind.rawValue)") }
        case .rekey(let replica, let change): rekey(replica, change)
        case .revoke(let replica, let other): try await revoke(other, by: replica)
        case .limit(let replica, let bytes):
            replicas[replica].reconfigure { $0.maxBytes = bytes == 0 ? nil : Int64(bytes) }
        case .administer(let replica): try await administer(replicas[replica], urgency: 0)
        }
    }

    func export(_ number: Int, crash: CrashPoint?) async throws {
        guard number < schedule.replicas else { return logs[number - schedule.replicas].publish() }
        let before = Set(sources(number).flatMap { logs[$0].segments })
        let hasEnded = try await replicas[number].export(crash: crash)
        try collect(from: number)
        try collectSegments(from: number)
        // The machine may end before the name of the file is on its disk, while a peer has the file already.
        guard hasEnded, crash == .exportPlaced, schedule.seed % 2 == 0 else { return }
        for segment in sources(number).flatMap({ logs[$0].segments }) where !before.contains(segment) {
            replicas[number].folder.lose(segment.name)
        }
    }

    private func carry(_ number: Int, to: Int, skip: Int, _ fault: FileFault, isHeard: Bool) throws {
        let segments = sources(number).flatMap { logs[$0].segments }
        guard number != to, !segments.isEmpty else { return }
        let positions = try replicas[to].positions()
        let next = segments.firstIndex { $0.name.last > positions[$0.name.writer] ?? 0 } ?? segments.count
        let segment = segments[min(max(next + skip, 0), segments.count - 1)]
        // What the replica has written itself no replicator damages.
        guard fault == .none || !replicas[to].writers.contains(segment.name.writer) else { return }
        let isRemoved = logs.contains { $0.isGone(segment) }
        try leave(segment, in: replicas[to], isRemoved ? .removed : fault)
        if isHeard { try replicas[to].hear(of: segment.name) }
    }

    /// Lets a replica join the baseline of another one, which may know more of some writers and less of others.
    ///
    /// A baseline is cut after an export: it has no transaction that is in no segment.
    private func join(from: Int, to: Int, damage: Int?) async throws {
        guard from != to else { return }
        try await export(from, crash: nil)
        guard try replicas[from].hasPublishedAll() else { return }
        let baseline = try replicas[from].baseline()
        replicas[to].endSync()
        if let damage { return try replicas[to].refuse(baseline, damagedAt: damage) }
        _ = try replicas[to].join(baseline)
        try check(replicas[to], "replica \(to) after it joined the baseline of replica \(from)")
        try demandNoEffect(baseline, on: replicas[to])
    }

    /// Leaves whole copies of all segments that a replica lacks, and of all baselines when it lacks any; whether there are
    /// transactions that it has not applied.
    func leaveAll(in replica: Replica) throws -> Bool {
        let positions = try replica.positions()
        let behind = logs.filter { positions[$0.writer] ?? 0 < UInt64($0.published) }
        for log in behind {
            for segment in log.present where segment.name.last > positions[log.writer] ?? 0 {
                if !replica.folder.has(segment.name) { try leave(segment, in: replica) }
            }
        }
        // The baselines that have a writer's removed segments are those of any writers.
        if !behind.isEmpty { for log in logs { try leaveBaselines(of: log, in: replica) } }
        // A damaged copy is in the way of what the store has not published.
        if try !replica.hasPublishedAll() {
            for segment in logs.flatMap(\.present) where replica.folder.isDamaged(segment.name) {
                try leave(segment, in: replica)
            }
        }
        return !behind.isEmpty
    }
}

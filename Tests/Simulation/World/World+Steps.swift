import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

extension World {
    func perform(_ step: Step) async throws {
        switch step {
        case .save(let replica, let changes):
            _ = try replicas[replica].save(changes)
            try collectNew(from: replica)
        case .produce(let producer, let skew, let changes): produce(schedule.replicas + producer, skew, changes)
        case .export(let writer, let crash): try await export(writer, crash: crash)
        case .carry(let writer, let to, let skip, let fault, let isHeard):
            try carry(writer, to: to, skip: skip, fault, isHeard: isHeard)
        case .importing(let replica, let count, let isWhole, let crash):
            if try await replicas[replica].takeImportSteps(count, isWhole: isWhole, crash: crash) {
                try check(replicas[replica], "replica \(replica) after its program ended in an import")
            }
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
        case .tick: clock.tick()
        case .jump(let replica, let seconds): replicas[replica].clock.jump(seconds)
        case .check(let replica): try check(replicas[replica], "replica \(replica)")
        }
    }

    private func produce(_ index: Int, _ skew: Int, _ changes: [Change]) {
        let last = written[index].last?.header.clock ?? .zero
        let header = TransactionHeader(
            sequence: UInt64(written[index].count) + 1,
            clock: last.next(at: clock.time(skew: skew)),
            changeCount: changes.count
        )
        written[index].append(LogTransaction(header: header, changes: changes))
    }

    private func export(_ writer: Int, crash: CrashPoint?) async throws {
        guard writer < schedule.replicas else { return publish(producer: writer) }
        let before = published[writer].count
        let hasEnded = try await replicas[writer].export(crash: crash)
        try collectSegments(from: writer)
        // The machine may end before the name of the file is on its disk, while a peer has the file already.
        if hasEnded, crash == .exportPlaced, schedule.seed % 2 == 0, published[writer].count > before {
            replicas[writer].folder.lose(published[writer][published[writer].count - 1].name)
        }
    }

    private func carry(_ writer: Int, to: Int, skip: Int, _ fault: FileFault, isHeard: Bool) throws {
        let segments = published[writer]
        guard writer != to, !segments.isEmpty else { return }
        let position = try replicas[to].position(of: writers[writer])
        let next = segments.firstIndex { $0.name.last > position } ?? segments.count
        let segment = segments[min(max(next + skip, 0), segments.count - 1)]
        try replicas[to].folder.leave(segment, fault)
        if isHeard { try replicas[to].hear(of: segment.name) }
    }

    /// Lets a replica join the baseline of another one, which may know more of some writers and less of others.
    ///
    /// A baseline is cut after an export: it has no transaction that is in no segment.
    private func join(from: Int, to: Int, damage: Int?) async throws {
        guard from != to, replicas[from].model.version == replicas[to].model.version else { return }
        try await export(from, crash: nil)
        guard published[from].last?.name.last ?? 0 == UInt64(written[from].count) else { return }
        // The sync cuts no baseline before the store has recorded that its last segment is in place.
        guard try replicas[from].store.read({ try $0.outbox.unfinishedExports().isEmpty }) else { return }
        let baseline = try replicas[from].baseline()
        replicas[to].endSync()
        if let damage {
            try replicas[to].refuse(baseline, damagedAt: damage)
        } else {
            _ = try replicas[to].join(baseline)
        }
        try check(replicas[to], "replica \(to) after it joined the baseline of replica \(from)")
        if damage == nil { try demandNoEffect(baseline, on: replicas[to]) }
    }

    /// Delivers transactions until every replica has all of them.
    func settle() async throws {
        clock.tick(100_000)
        for replica in replicas { replica.clock.heal() }
        for round in 0... {
            for writer in 0..<schedule.replicas + schedule.producers { try await export(writer, crash: nil) }
            var isComplete = true
            for replica in replicas {
                guard try leaveAll(in: replica) else { continue }
                isComplete = false
                try await replica.takeImportSteps(nil, isWhole: true)
            }
            if isComplete { break }
            guard round < 100 else { throw Divergence("transactions wait for each other for ever") }
        }
    }

    /// Leaves whole copies of all segments that a replica lacks.
    ///
    /// - Returns: Whether there are transactions that the replica has not applied.
    private func leaveAll(in replica: Replica) throws -> Bool {
        var isBehind = false
        let positions = try replica.positions()
        for (index, writer) in writers.enumerated() where writer != replica.writer {
            let position = positions[writer] ?? 0
            guard position < UInt64(written[index].count) else { continue }
            isBehind = true
            for segment in published[index]
            where segment.name.last > position && !replica.folder.whole.contains(segment.name) {
                try replica.folder.leave(segment, .none)
            }
        }
        return isBehind
    }
}

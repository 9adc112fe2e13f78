import TransactionLog
import TributaryChanges
import TributarySync

/// Baselines in the log folders, and segments that are removed because of them.
extension World {
    /// Makes one pass of a replica's compaction; what it removes must be what the rules allow.
    func compact(_ index: Int, _ mode: Compactor.Mode) async throws {
        try await checkIdentity(index)
        let replica = replicas[index]
        let before = lives[index].flatMap { logs[$0].present }.filter { replica.folder.has($0.name) }
        let baselines = Set(
            try lives[index].flatMap { try replica.folder.baselines(of: logs[$0].writer).keys }
        )
        try await replica.compact(mode)
        try collect(from: index)
        try collectSegments(from: index)
        for life in lives[index] { try collectBaselines(index, life, before: baselines) }
        for segment in before where !replica.folder.has(segment.name) {
            try demandRemovable(segment.name, by: index)
            if let own = log(of: segment.name.writer) { logs[own].removed.insert(segment.name) }
        }
    }

    /// Notes the baselines that a replica has made of the writer of a log, and those that it has removed.
    private func collectBaselines(_ index: Int, _ own: Int, before: Set<BaselineName>) throws {
        let found = try replicas[index].folder.baselines(of: logs[own].writer)
        for (name, bytes) in found {
            if let known = logs[own].baselines.last(where: { $0.name == name }), known.bytes == bytes { continue }
            // The name of a removed baseline may be that of another one later.
            guard !logs[own].baselines.contains(where: { $0.name == name && !$0.isRemoved }) else {
                throw Divergence("\(name) was written again with other bytes")
            }
            logs[own].baselines.append(try PublishedBaseline(name: name, bytes: bytes))
        }
        for place in logs[own].baselines.indices {
            let known = logs[own].baselines[place]
            guard before.contains(known.name), found[known.name] != known.bytes else { continue }
            logs[own].baselines[place].isRemoved = true
        }
    }

    /// Checks that a segment may go: a baseline has it that two writers have with equal bytes, every active writer has
    /// acknowledged it, and it is old enough.
    private func demandRemovable(_ name: SegmentName, by index: Int) throws {
        let replica = replicas[index]
        let covering = logs.flatMap(\.baselines).filter { $0.vector[name.writer] ?? 0 >= name.last }
        let isVerified = covering.contains { one in
            covering.contains { $0.name.writer != one.name.writer && $0.bytes == one.bytes }
        }
        guard isVerified else { throw Divergence("\(name) was removed, and no verified baseline has it") }
        let seen = SeenOracle(written(for: replica))
        for (writer, position) in try replica.positions() where position > 0 && writer != replica.writer {
            let announced = seen.seen(by: writer, at: position)
            let isWaitedFor =
                !announced.isEmpty && !lives[index].contains { logs[$0].writer == writer }
                && evictions[index]?[writer] ?? 0 < position
            guard isWaitedFor, announced[name.writer] ?? 0 < name.last else { continue }
            throw Divergence("\(name) was removed, and the writer \(writer) has not acknowledged it")
        }
        guard let published = publishedAt[name],
            published.later(by: replica.settings.keepSegments) <= replica.clock.time
        else { throw Divergence("\(name) was removed too early") }
    }

    /// Stops counting on a writer's acknowledgements, and makes room at once.
    ///
    /// Before, the two replicas make a baseline together, so that what is removed depends on the other writers only.
    func evict(_ number: Int, by index: Int) async throws {
        guard number != index else { return }
        if number < schedule.replicas {
            for other in 0..<schedule.replicas + schedule.producers where other != number && other != index {
                try await exchange(other, number)
                try await exchange(other, index)
            }
            try await exchange(number, index)
            try await compact(index, .requested)
            try await exchange(index, number)
            try await compact(number, .requested)
            try await exchange(number, index)
            clock.tick(10)
        }
        let writer = writer(number)
        guard try await replicas[index].evict(writer) else { return }
        let position = try replicas[index].position(of: writer)
        // Nobody counts on an abandoned writer again, whatever comes of it later.
        if evictions[index]?[writer] != .max { evictions[index, default: [:]][writer] = position }
        try await compact(index, .requested)
    }

    func abandon(_ number: Int, by index: Int) async throws {
        let writer = writer(number)
        guard try await replicas[index].abandon(writer) else { return }
        abandoned.insert(writer)
        evictions[index, default: [:]][writer] = .max
    }

    /// Brings all that a replica or a producer has published to another replica, which imports and acknowledges it.
    func exchange(_ writer: Int, _ index: Int) async throws {
        guard writer != index else { return }
        try await perform(.export(writer: writer, crash: nil))
        try leaveFiles(of: writer, in: replicas[index])
        try await perform(.importing(replica: index, count: 1_000, isWhole: true, crash: nil))
        clock.tick(2)
        try await perform(.acknowledge(replica: index))
        try await perform(.export(writer: index, crash: nil))
    }

    private func leaveFiles(of number: Int, in replica: Replica) throws {
        let sources = number < schedule.replicas ? lives[number].map { self.logs[$0] } : [self.logs[number]]
        for log in sources where log.writer != replica.writer {
            for segment in log.present where !replica.folder.has(segment.name) {
                try replica.folder.leave(segment, .none)
            }
            try leaveBaselines(of: log, in: replica)
        }
    }

    /// Leaves the baselines of a writer, and removes what it has removed.
    func leaveBaselines(of log: WriterLog, in replica: Replica) throws {
        let present = Set(log.baselines.filter { !$0.isRemoved }.map(\.name))
        for baseline in log.baselines where !baseline.isRemoved || !present.contains(baseline.name) {
            try replica.folder.leave(baseline)
        }
        for name in log.removed { replica.folder.lose(name) }
    }

    /// A new replica that has nothing but what is in the log folders now has the state of the others.
    func compareNewcomer(_ dump: String) async throws {
        let newcomer = try newReplica()
        for round in 0... {
            for log in logs {
                for segment in log.present where !newcomer.folder.has(segment.name) {
                    try newcomer.folder.leave(segment, .none)
                }
                try leaveBaselines(of: log, in: newcomer)
            }
            clock.tick(100)
            try await newcomer.takeImportSteps(nil, isWhole: true)
            let positions = try newcomer.positions()
            if logs.allSatisfy({ positions[$0.writer] ?? 0 == UInt64($0.transactions.count) }) { break }
            guard round < 20 else { throw Divergence("a new replica does not come to the state of the others") }
        }
        try Divergence.demandEqual(dump, try newcomer.dump(), "the dump of a new replica differs")
        try newcomer.finish()
    }
}

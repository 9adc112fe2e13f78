import SimulationRunning
import TestSupport
import TransactionLog
import TributaryChanges
import TributaryStore
import TributarySync

/// Baselines in the log folders, and segments that are removed because of them.
extension World {
    /// Makes one pass of a replica's compaction; what it removes must be what the rules allow.
    func compact(_ index: Int, _ mode: Compactor.Mode) async throws {
        try await recordingBaselines(of: index) { try await replicas[index].compact(mode) }
    }

    /// Records what a replica publishes about baselines, and what it removes.
    func recordingBaselines(of index: Int, _ body: () async throws -> Void) async throws {
        let replica = replicas[index]
        let keys = fleetKeys.readable
        let before = replica.folder.names().filter { replica.folder.has($0) }.map {
            (name: $0, time: replica.folder.time(of: $0.path))
        }
        let baselines = Set(try replica.folder.baselines().keys)
        let comparisons = try replica.folder.comparisons(keys).keys
        try await body()
        try collectNew(from: index)
        try collectSegments(from: index)
        let found = try replica.folder.baselines()
        for (name, bytes) in found {
            // Of a file whose key is lost nothing more is heard.
            guard let log = log(of: name.writer), fleetKeys.content(of: bytes) != nil else { continue }
            let former = logs[log].baselines.filter { $0.name == name }
            if let present = former.first(where: { !$0.isRemoved }) {
                guard !former.contains(where: { $0.bytes == bytes }) else { continue }
                // Two machines that are one writer give one name twice; a replicator keeps the file that came last.
                for place in logs[log].baselines.indices where logs[log].baselines[place].sha256 == present.sha256 {
                    logs[log].baselines[place].isRemoved = true
                }
            }
            logs[log].baselines.append(try PublishedBaseline(name: name, bytes: bytes, keys))
        }
        for name in baselines where found[name] == nil {
            guard let log = log(of: name.writer) else { continue }
            for place in logs[log].baselines.indices where logs[log].baselines[place].name == name {
                logs[log].baselines[place].isRemoved = true
            }
        }
        let compared = try replica.folder.comparisons(keys)
        for (name, comparison) in compared {
            guard let log = log(of: name.writer), !isReplaced(name.baseline, comparison.found.sha256)
            else { continue }
            logs[log].comparisons[name] = comparison
            let isWrong = logs.flatMap(\.baselines).contains { $0.isWrong && $0.sha256 == comparison.found.sha256 }
            guard !isWrong || comparison.found.difference != nil else {
                throw Divergence("\(name.path) endorses a baseline of another state")
            }
        }
        for name in comparisons where compared[name] == nil {
            if let log = log(of: name.writer) { logs[log].comparisons[name]?.isRemoved = true }
        }
        let facts = try RemovalFacts(replica, SeenOracle(logs))
        for (name, time) in before where !replica.folder.has(name) {
            try demandRemovable(name, of: time, facts, by: replica)
            replica.folder.lose(name)
            if let log = log(of: name.writer) { logs[log].remove(name) }
        }
    }

    /// Whether the file that came last under a baseline's name is another one.
    private func isReplaced(_ name: BaselineName, _ sha256: String) -> Bool {
        let files = log(of: name.writer).map { logs[$0].baselines } ?? []
        return files.contains { $0.name == name && $0.isRemoved && $0.sha256 == sha256 }
            && files.contains { $0.name == name && !$0.isRemoved && $0.sha256 != sha256 }
    }

    /// Lets a replica cut a baseline, gives it the content of another state before anybody sees it, and lets the next
    /// replica compare it.
    ///
    /// Such a file has no signature and is not encrypted.
    func spoil(_ index: Int) async throws {
        guard schedule.traits.isDisjoint(with: [.encrypted, .trusted]) else { return }
        try await compact(index, .requested)
        var isSpoiled = false
        // Values that a later deletion supersedes do no harm.
        let deleted = Set(logs.flatMap(\.transactions).flatMap(\.changes).filter { $0.operation == .delete }.map(\.id))
        for log in logs.indices where replicas[index].writers.contains(logs[log].writer) {
            guard let last = logs[log].baselines.indices.last, !logs[log].baselines[last].isRemoved,
                !logs.flatMap(\.comparisons.keys).contains(where: { $0.baseline == logs[log].baselines[last].name }),
                try replicas.indices.allSatisfy({ other in
                    try other == index || replicas[other].folder.baselines()[logs[log].baselines[last].name] == nil
                }),
                let spoiled = try logs[log].baselines[last].spoiled(except: deleted)
            else { continue }
            logs[log].baselines[last] = spoiled
            try replicas[index].folder.leave(spoiled)
            isSpoiled = true
        }
        guard isSpoiled else { return }
        let next = (index + 1) % schedule.replicas
        try await exchange(index, next)
        try await compact(next, .requested)
    }

    /// Checks that a segment may go: a baseline has it that a store endorses, every active store has acknowledged it, and it
    /// is old enough.
    private func demandRemovable(
        _ name: SegmentName,
        of time: WallTime,
        _ facts: RemovalFacts,
        by replica: Replica
    ) throws {
        guard isCovered(name) else { throw Divergence("\(name) was removed, and no verified baseline has it") }
        for (store, seen) in facts.acknowledged where seen[name.writer] ?? 0 < name.last {
            throw Divergence("\(name) was removed, and the store \(store) has not acknowledged it")
        }
        guard time.later(by: replica.settings.keepSegments) <= replica.clock.time else {
            throw Divergence("\(name) was removed too early")
        }
    }

    /// Whether a baseline has a segment that a store endorses.
    func isCovered(_ name: SegmentName) -> Bool {
        let covering = logs.flatMap(\.baselines).filter { !$0.isRemoved && $0.vector[name.writer] ?? 0 >= name.last }
        let endorsed = logs.flatMap(\.comparisons.values).filter { !$0.isRemoved && $0.found.difference == nil }
            .map(\.found)
        return covering.contains { one in
            endorsed.contains { $0.name.baseline == one.name && $0.sha256 == one.sha256 }
        }
    }

    /// What the active stores have acknowledged, as far as a replica knows their writers.
    private struct RemovalFacts {
        var acknowledged: [UniqueID: [UniqueID: UInt64]] = [:]

        init(_ replica: Replica, _ seen: SeenOracle) throws {
            let known = try replica.store.read { try $0.writers.all() }.filter { $0.sequence > 0 }
            for (store, writers) in Dictionary(grouping: known, by: \.store) where store != replica.label {
                guard writers.contains(where: { $0.state == nil }) else { continue }
                var all: [UniqueID: UInt64] = [:]
                for writer in writers {
                    all.merge(seen.seen(by: writer.id, at: writer.sequence), uniquingKeysWith: max)
                }
                if !all.isEmpty { acknowledged[store] = all }
            }
        }
    }

    /// Stops counting on a store's acknowledgements, and makes room at once.
    ///
    /// Before, one makes a baseline and the other one endorses it, so that what is removed depends on the other stores only.
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
        let before = try replicas[index].states(ofStoreOf: writer)
        guard try await replicas[index].evict(writer) else { return }
        for (id, state) in try replicas[index].states(ofStoreOf: writer) {
            guard state == (before[id] == .abandoned ? .abandoned : .evicted) else {
                throw Divergence(
                    "replica \(index) takes \(id) for \(String(describing: state)), though its store is evicted"
                )
            }
        }
        try await compact(index, .requested)
    }

    func abandon(_ number: Int, by index: Int) async throws {
        let writer = writer(number)
        guard try await replicas[index].abandon(writer) else { return }
        abandoned.formUnion(try replicas[index].states(ofStoreOf: writer).keys)
        abandoned.insert(writer)
    }

    /// Brings all that a replica or a producer has published to another replica, which imports and acknowledges it.
    func exchange(_ writer: Int, _ index: Int) async throws {
        guard writer != index else { return }
        try await perform(.export(writer: writer, crash: nil))
        for log in sources(writer).map({ logs[$0] }) {
            for segment in log.present where !replicas[index].folder.has(segment.name) {
                try leave(segment, in: replicas[index])
            }
            try leaveBaselines(of: log, in: replicas[index])
        }
        try await perform(.importing(replica: index, count: 1_000, isWhole: true, crash: nil))
        clock.tick(2)
        try await perform(.acknowledge(replica: index))
        try await perform(.export(writer: index, crash: nil))
    }

    /// Leaves a whole copy of a segment, unless a replica without its folder has written it.
    func leave(_ segment: PublishedSegment, in replica: Replica, _ fault: FileFault = .none) throws {
        let isOwn = replica.writers.contains(segment.name.writer)
        guard !replica.hasLostFolder(of: segment.name.writer) else { return }
        // A store takes a file for a foreign one that it cannot read: what a copy of it has published under its name, encrypted
        // with a key that it lacks, it publishes once more under another name.
        guard !isOwn || replica.canRead(segment.bytes) else { return }
        try replica.folder.leave(segment, fault, at: replica.clock.time, replaces: schedule.seed / 16 % 2 == 0)
    }

    /// Leaves the baselines of a writer, and removes what was removed.
    func leaveBaselines(of log: WriterLog, in replica: Replica) throws {
        guard !replica.hasLostFolder(of: log.writer) else { return }
        let present = Set(log.baselines.filter { !$0.isRemoved }.map(\.name))
        for baseline in log.baselines where !baseline.isRemoved || !present.contains(baseline.name) {
            try replica.folder.leave(baseline)
        }
        for comparison in log.comparisons.values { try replica.folder.leave(comparison) }
        let names = Set(log.present.map(\.name))
        for segment in log.removed where !names.contains(segment.name) { replica.folder.lose(segment.name) }
    }

    /// Makes the next baseline where one lies beside the comparison of another one of its name: a store that lacks
    /// what both have waits for it.
    ///
    /// - Returns: Whether there was such a baseline.
    func makeNextBaseline() async throws -> Bool {
        let present = logs.flatMap(\.baselines).filter { !$0.isRemoved }
        let compared = logs.flatMap(\.comparisons.values).filter { !$0.isRemoved }.map(\.found)
        let isBesideAnother = present.contains { one in
            compared.contains { $0.name.baseline == one.name && $0.sha256 != one.sha256 }
        }
        guard isBesideAnother else { return false }
        let unlink = Change.Operation.unlink(to: "members", ids: [SimulationModel.ids(of: "Person")[0]])
        let indices = activeIndices.filter { $0 < schedule.replicas }
        for index in indices {
            let change = Change(entity: "Project", id: SimulationModel.ids(of: "Project")[0], operation: unlink)
            try await perform(.save(replica: index, [change]))
            for other in indices { try await exchange(index, other) }
        }
        // Stores that are gone would be waited for.
        let gone = logs.map(\.writer).filter { writer in !active.contains { $0.writers.contains(writer) } }
        for index in indices {
            for writer in gone { _ = try await replicas[index].evict(writer) }
            try await compact(index, .requested)
            // For a day it waits for a store of another origin.
            for name in try replicas[index].folder.baselines().keys {
                try replicas[index].folder.setTime(clock.time(), of: name.path)
            }
            clock.tick(100_000)
            try await compact(index, .requested)
            for other in indices { try await exchange(index, other) }
        }
        return true
    }

    /// A new replica that has nothing but what is in the log folders now has the state of the others.
    func compareNewReplica(_ dump: String) async throws {
        let added = try newReplica()
        try await settle(with: added)
        if try !added.store.read({ try $0.hasForeignRules }) {
            try Divergence.demandEqual(dump, try added.dump(), "the dump of a new replica differs")
        }
        try added.finish()
    }
}

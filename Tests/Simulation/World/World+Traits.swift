import SimulationRunning
import TransactionLog
import TributaryChanges
import TributaryStore
import TributarySync

/// Lost files and keys, stolen machines, and what an administrator sets up before a schedule.
extension World {
    /// Sets up what the traits of the schedule ask for.
    func beginTraits() throws {
        for replica in replicas { try equip(replica) }
        guard schedule.traits.contains(.trusted) else { return }
        // Every second fleet trusts a list of keys, the others the first key of each store.
        let isListed = schedule.seed / 32 % 2 == 0
        let keys = isListed ? try replicas.compactMap { try $0.trust().key?.publicKey } : []
        for replica in replicas { replica.reconfigure { $0.trust.keys = keys } }
    }

    /// Gives a replica the keys and limits of the schedule.
    func equip(_ replica: Replica) throws {
        if schedule.traits.contains(.encrypted) { replica.setKeys(fleetKeys.present.reversed()) }
        let listed = replicas.first?.settings.trust.keys ?? []
        replica.reconfigure { settings in
            if schedule.traits.contains(.limited) { settings.maxBytes = [6_000, 20_000][Int(schedule.seed / 4 % 2)] }
            settings.trust.pinsFirst = schedule.seed / 32 % 2 == 1
            settings.trust.keys = listed
        }
    }

    /// Loses a file of a replica or a producer everywhere.
    func vanish(_ number: Int, _ kind: LostFile, _ index: Int) {
        func pick<T>(_ files: [T]) -> T? { files.isEmpty ? nil : files[index % files.count] }
        for log in sources(number).suffix(1) {
            switch kind {
            case .segment:
                guard let name = pick(logs[log].present.map(\.name)) else { return }
                logs[log].lose(name)
                for replica in replicas { replica.folder.lose(name) }
                let isApplied = active.allSatisfy { (try? $0.position(of: name.writer)) ?? 0 >= name.last }
                Occurrences.note(isApplied ? "segment lost that all have applied" : "segment lost that one lacks")
            case .baseline:
                let present = logs[log].baselines.indices.filter { !logs[log].baselines[$0].isRemoved }
                guard let place = pick(present) else { return }
                lose(logs[log].baselines[place].name)
                Occurrences.note("baseline lost")
            case .comparison:
                let present = logs[log].comparisons.filter { !$0.value.isRemoved }.keys.sorted { $0.path < $1.path }
                guard let name = pick(present) else { return }
                logs[log].comparisons[name]?.isRemoved = true
                for replica in replicas { replica.folder.leave(lost: name.path) }
                Occurrences.note("comparison lost")
            }
        }
    }

    /// Loses a baseline everywhere.
    func lose(_ name: BaselineName) {
        if let log = log(of: name.writer) {
            for place in logs[log].baselines.indices where logs[log].baselines[place].name == name {
                logs[log].baselines[place].isRemoved = true
            }
        }
        for replica in replicas { replica.folder.leave(lost: name.path) }
    }

    /// Changes the keys of a replica, or loses a key of all.
    func rekey(_ index: Int, _ change: KeyChange) {
        guard schedule.traits.contains(.encrypted) else { return }
        Occurrences.note("keys: \(change.rawValue)")
        let replica = replicas[index]
        switch change {
        case .adds:
            if replica.keys.contains(fleetKeys.newest) { fleetKeys.make() }
            replica.setKeys(replica.keys + [fleetKeys.newest])
        case .leads:
            guard let newest = replica.keys.max() else { return }
            replica.setKeys([newest] + replica.keys.filter { $0 != newest })
        case .drops: replica.setKeys(Array(replica.keys.prefix(1)))
        case .removes: replica.setKeys([])
        case .loses:
            let lost = fleetKeys.newest
            fleetKeys.lose()
            for replica in replicas where replica.keys.contains(lost) {
                replica.setKeys([fleetKeys.newest] + replica.keys.filter { $0 != lost })
            }
            for log in logs.indices { logs[log].loseUnreadable(fleetKeys) }
        }
    }

    /// Revokes the key of a replica, which is stolen.
    ///
    /// Another machine with the same key, such as a copy of the whole disk, would lose its trust with it; and two are
    /// left in the end.
    func revoke(_ other: Int, by index: Int) async throws {
        guard schedule.traits.contains(.trusted), other != index, !retired.contains(index) else { return }
        if !retired.contains(other) {
            guard active.count > 2, let key = try replicas[other].trust().key?.publicKey,
                try !active.contains(where: { try $0 !== replicas[other] && $0.trust().key?.publicKey == key })
            else { return }
            retired.insert(other)
            Occurrences.note("key revoked")
        }
        try await revoke(other, at: replicas[index])
    }

    /// Revokes a stolen machine's key at one of the others.
    func revoke(_ other: Int, at replica: Replica) async throws {
        guard let key = try replicas[other].trust().key?.publicKey else { return }
        try await replica.request { sync in
            do {
                try await sync.setTrust(.revoked, of: replicas[other].writer, key: key)
            } catch SyncError.ownWriter {
                // A copy of this store that goes on as its writer has its key too.
            }
        }
    }

    /// Whether a writer is one that a stolen machine has.
    func isRevoked(_ writer: UniqueID) -> Bool { retired.contains { replicas[$0].writers.contains(writer) } }
}

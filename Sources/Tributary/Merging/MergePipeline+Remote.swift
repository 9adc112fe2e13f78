import TributaryChanges
import TributaryStore

/// Transactions that other processes have committed to the same store.
///
/// Every transaction has a number, and this process knows the numbers of its own; numbers in between belong to other
/// processes. They are read under the write lock, so that no transaction of this process comes in between.
extension MergePipeline {
    /// Begins to watch for remote commits; without it they are noticed at the next save, merge or flush here.
    func watchRemote() {
        // No other process can open a store in memory.
        guard store.configuration.memory == nil else { return }
        let watch = RemoteWatch(store) { [weak self] newest in
            guard let self, newest > self.noticed else { return }
            try? self.store.inTurn { try self.postRemoteCommits($0) }
        }
        update { $0.remoteWatch = watch }
    }

    func stopWatchingRemote() {
        var watch: RemoteWatch?
        update { state in
            watch = state.remoteWatch
            state.remoteWatch = nil
        }
        watch?.stop()
    }

    /// The number of the newest transaction that was put into the pending notifications.
    var noticed: Int64 {
        var number: Int64 = 0
        update { number = $0.noticed }
        return number
    }

    /// Puts the changes up to the newest transaction into the pending notifications.
    func postRemoteCommits(_ turn: WriterTurn) throws {
        try postRemoteCommits(turn, through: try turn.newestTransaction())
    }

    /// Posts remote commits that came before the first of these own transactions.
    ///
    /// When history cannot be read the change notification says "everything": the commit stands, and no change may be
    /// missed.
    func postLocalCommits(_ turn: WriterTurn, first: Int64, last: Int64) {
        do {
            try postRemoteCommits(turn, through: first - 1)
        } catch {
            var everything = ObjectChanges(limit: 1)
            everything.collapseEverything()
            pendingNotifications.post(everything)
        }
        update { $0.noticed = max($0.noticed, last) }
    }

    func postRemoteCommits(_ turn: WriterTurn, through newest: Int64) throws {
        let known = noticed
        guard newest > known else { return }
        let changes = try turn.changes(after: known, through: newest, limit: options.pendingLimit)
        rowCache.recordCommits(first: known + 1, last: newest, changes: changes)
        pendingNotifications.post(changes)
        update { $0.noticed = newest }
    }

    /// Checks for remote commits at once instead of waiting for the watch.
    func postRemoteCommitsNow() async {
        guard let newest = try? store.read({ try $0.history.newestTransaction() }), newest > noticed else { return }
        await store.waitForTurn()
        try? store.inTurn { try postRemoteCommits($0) }
    }
}

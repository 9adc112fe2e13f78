import TributaryChanges
import TributaryStore

/// Transactions that other processes have committed to the same store.
///
/// Every transaction has a number, and this process knows those of its own: what lies between is somebody else's. All
/// that follows runs under the write lock, so that no transaction of this process comes in between.
extension MergePipeline {
    /// Begins to notice them by themselves; without it they are noticed at the next save, merge or flush here.
    func watchRemote() {
        // What is in memory has no other process.
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

    /// The newest transaction that is in the mailbox, or was.
    var noticed: Int64 {
        var number: Int64 = 0
        update { number = $0.noticed }
        return number
    }

    /// Puts everything up to the newest transaction into the mailbox.
    func postRemoteCommits(_ turn: WriterTurn) throws {
        try postRemoteCommits(turn, through: try turn.newestTransaction())
    }

    /// Own transactions have been committed, the first with this number: what came before them was somebody else's.
    ///
    /// When history cannot be read the notice says "everything": the commit stands, and nothing must be missed.
    func postLocalCommits(_ turn: WriterTurn, first: Int64, last: Int64) {
        do {
            try postRemoteCommits(turn, through: first - 1)
        } catch {
            var everything = ObjectChanges(limit: 1)
            everything.collapseEverything()
            mailbox.post(everything)
        }
        update { $0.noticed = max($0.noticed, last) }
    }

    func postRemoteCommits(_ turn: WriterTurn, through newest: Int64) throws {
        let known = noticed
        guard newest > known else { return }
        let changes = try turn.changes(after: known, through: newest, limit: options.mailboxLimit)
        rowCache.recordCommits(first: known + 1, last: newest, changes: changes)
        mailbox.post(changes)
        update { $0.noticed = newest }
    }

    /// Looks at once instead of waiting for the watch.
    func postRemoteCommitsNow() async {
        guard let newest = try? store.read({ try $0.history.newestTransaction() }), newest > noticed else { return }
        await store.waitForTurn()
        try? store.inTurn { try postRemoteCommits($0) }
    }
}

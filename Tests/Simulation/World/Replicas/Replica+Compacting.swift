import TransactionLog
import TributaryChanges
import TributaryStore
import TributarySync

extension Replica {
    /// Makes one pass of the compaction; does nothing when the store cannot export.
    func compact(_ mode: Compactor.Mode) async throws {
        let sync = try runningSync()
        self.sync = sync
        do {
            _ = try await Compactor(sync: sync.service).compact(mode)
        } catch let failure as ExportFailure {
            guard isExpected(failure) else { throw failure }
        } catch let error as SegmentError where error.kind == .missing || isObstructed {
            // Without its log folder nothing is compacted.
        }
    }

    /// Checks the store and its log folder, and repairs what can be rebuilt, as `tributaryctl check --repair` does.
    func repair() async throws {
        sync = nil
        let check = StoreCheck(
            of: store,
            logs: settings.logs,
            encryption: settings.encryption,
            repairs: true,
            trust: try trust(),
            open: { try EmptyStores.scratch($0) },
            progress: { _, _, _ in }
        )
        _ = try await check.run()
    }

    /// Runs a request of an administrator at the running sync.
    func request<T>(_ body: (SyncService) async throws -> T) async throws -> T {
        let sync = try runningSync()
        self.sync = sync
        return try await body(sync.service)
    }

    func evict(_ writer: UniqueID) async throws -> Bool {
        let sync = try runningSync()
        self.sync = sync
        return try await isKnown { try await sync.service.evict(writer) }
    }

    func abandon(_ writer: UniqueID) async throws -> Bool {
        let sync = try runningSync()
        self.sync = sync
        return try await isKnown { try await sync.service.abandon(writer) }
    }

    /// Makes a request about a writer; false when the store does not know the writer.
    private func isKnown(_ request: () async throws -> Void) async throws -> Bool {
        do {
            try await request()
            return true
        } catch let error as SyncError {
            switch error {
            case .noSuchWriter, .ownWriter: return false
            default: throw error
            }
        }
    }

    /// What is decided about the writers of another writer's store.
    func states(ofStoreOf writer: UniqueID) throws -> [UniqueID: WriterState?] {
        let all = try store.read { try $0.writers.all() }
        let store = all.first { $0.id == writer }?.store
        return Dictionary(uniqueKeysWithValues: all.filter { $0.store == store }.map { ($0.id, $0.state) })
    }
}

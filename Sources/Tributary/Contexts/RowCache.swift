import Synchronization
import TributaryChanges
import TributaryStore

/// Rows that were read before they are needed, shared by the contexts of a container.
///
/// Rows never change, so what has to be known of one is for which generations it holds: from the transaction that wrote
/// it up to the last one of which it is known that it left the row alone. Commits of this process record under the
/// write lock what they touched; a gap in their numbers is another process's doing and closes everything. A context that shows
/// an older generation never gets a row that is newer, nor the other way round.
///
/// It is filled by fetches that ask for it, by prefetching and by faults. Past its limit the rows that came first go.
final class RowCache: Sendable {
    private struct Entry {
        let row: Row
        /// The newest transaction of which it is known that it left the row alone; nil while that is the newest of all.
        var holdsThrough: Int64?
    }

    private struct State {
        var newest: Int64
        var entries: [ManagedObjectID: Entry] = [:]
        /// The keys of `entries` as they came; those before `first` are gone.
        var order: [ManagedObjectID] = []
        var first = 0
    }

    /// Rows that are kept at most.
    let limit: Int
    private let state: Mutex<State>
    static let defaultLimit = 50_000

    init(newest: Int64, limit: Int = RowCache.defaultLimit) {
        self.limit = max(limit, 1)
        state = Mutex(State(newest: newest))
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// The object's row at a generation, nil when it is not known; without a number at the newest one.
    func row(_ id: ManagedObjectID, at number: Int64?) -> Row? {
        state.withLock { state in
            guard let entry = state.entries[id] else { return nil }
            let number = number ?? state.newest
            guard entry.row.revision <= number, number <= entry.holdsThrough ?? state.newest else { return nil }
            return entry.row
        }
    }

    /// Keeps rows that were read at a generation.
    func insert(_ rows: [Row], readAt number: Int64) {
        state.withLock { state in
            let holdsThrough = number == state.newest ? nil : number
            for row in rows {
                if let known = state.entries[row.id] {
                    let reach = known.holdsThrough ?? .max
                    guard reach < holdsThrough ?? .max else { continue }
                } else {
                    state.order.append(row.id)
                }
                state.entries[row.id] = Entry(row: row, holdsThrough: holdsThrough)
                evict(&state)
            }
        }
    }

    /// Transactions `first` to `last` have been committed, and touched `changes`; called under the write lock.
    func recordCommits(first: Int64, last: Int64, changes: ObjectChanges) {
        state.withLock { state in
            guard last > state.newest else { return }
            let before = state.newest
            state.newest = last
            let isListed = first == before + 1 && !changes.isEverything && changes.collapsedEntities.isEmpty
            if isListed {
                for id in [changes.inserted, changes.updated, changes.deleted].joined() { close(&state, id, before) }
            } else {
                let hasGap = first != before + 1
                for id in state.order[state.first...] where hasGap || changes.touches(id) { close(&state, id, before) }
            }
        }
    }

    /// Forgets everything.
    func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.order = []
            state.first = 0
        }
    }

    private func close(_ state: inout State, _ id: ManagedObjectID, _ number: Int64) {
        guard let index = state.entries.index(forKey: id), state.entries.values[index].holdsThrough == nil else {
            return
        }
        state.entries.values[index].holdsThrough = number
    }

    private func evict(_ state: inout State) {
        while state.entries.count > limit, state.first < state.order.count {
            state.entries[state.order[state.first]] = nil
            state.first += 1
        }
        guard state.first > limit else { return }
        state.order.removeSubrange(..<state.first)
        state.first = 0
    }
}

extension ObjectChanges {
    /// Whether the object may have changed, listed or not.
    func touches(_ id: ManagedObjectID) -> Bool {
        covers(id) || updated.contains(id) || deleted.contains(id) || inserted.contains(id)
    }
}

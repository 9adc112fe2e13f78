import Synchronization
import TributaryChanges
import TributaryStore

/// An entry is valid up to the last transaction that is known to have left the row unchanged.
///
/// A gap in the numbers of this process's commits belongs to another process, and ends all entries.
final class RowCache: Sendable {
    private struct Entry {
        let row: Row
        /// Nil while the newest transaction is known to have left the row unchanged.
        var holdsThrough: Int64?
    }

    private struct State {
        var newest: Int64
        var entries: [ManagedObjectID: Entry] = [:]
        var order: [ManagedObjectID] = []
        var first = 0
    }

    let limit: Int
    private let state: Mutex<State>
    static let defaultLimit = 50_000

    init(newest: Int64, limit: Int = RowCache.defaultLimit) {
        self.limit = max(limit, 1)
        state = Mutex(State(newest: newest))
    }

    func row(_ id: ManagedObjectID, at number: Int64?) -> Row? {
        state.withLock { state in
            guard let entry = state.entries[id] else { return nil }
            let number = number ?? state.newest
            guard entry.row.revision <= number, number <= entry.holdsThrough ?? state.newest else { return nil }
            return entry.row
        }
    }

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

    /// Called under the write lock.
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
    func touches(_ id: ManagedObjectID) -> Bool {
        covers(id) || updated.contains(id) || deleted.contains(id) || inserted.contains(id)
    }
}

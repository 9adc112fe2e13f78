import Synchronization
package import TributaryAdmin
package import TributaryChanges
package import TributaryStore

/// Learns the habits of other stores from this store's history: all of it after a start, later its new transactions.
package final class WriterWatch: Sendable {
    private struct State {
        var habits = WriterHabits()
        var through: Int64 = 0
        var reported: Set<UniqueID> = []
    }

    private let state = Mutex(State())
    private static let portion = 10_000
    private static let named = 20

    package init() {}

    /// Returns false when there may be more transactions to learn from.
    package func learn(_ reader: Reader, _ writers: [WriterRecord], at wall: WallTime) throws -> Bool {
        let through = state.withLock(\.through)
        let found = try reader.history.times(after: through, limit: WriterWatch.portion)
        let stores = Dictionary(writers.map { ($0.id, $0.store) }) { first, _ in first }
        let own = writers.first(where: \.isSelf)?.store
        state.withLock { state in
            // Another caller may have learned them meanwhile.
            guard state.through == through, let last = found.last else { return }
            for transaction in found {
                guard let store = stores[transaction.writer], store != own else { continue }
                state.habits.add(transaction.time, of: store, at: wall)
            }
            state.through = last.number
        }
        return found.count < WriterWatch.portion
    }

    package func notices(_ writers: [WriterRecord], at wall: WallTime) -> [Problem] {
        let silences = silences(writers, at: wall)
        return silences.prefix(WriterWatch.named).map { silence, last in
            let name = last.name.map { "\($0) (\(silence.store))" } ?? "\(silence.store)"
            let rest = silences.count - WriterWatch.named
            let others =
                rest > 0 && silence == silences[WriterWatch.named - 1].0 ? " So have \(rest) other stores." : ""
            var notice = Problem(
                .writerSilent,
                since: silence.since,
                detail: "\(name) has written nothing for \(wall.duration(since: silence.since).words), and usually "
                    + "writes again within \(silence.usualPause.words).\(others)",
                writer: last.id,
                hint:
                    "Check the machine and its replicator. To see what this store knows of it: tributaryctl writer list"
            )
            notice.writerName = last.name
            return notice
        }
    }

    package func changes(_ writers: [WriterRecord], at wall: WallTime) -> (begun: [Problem], ended: [UniqueID]) {
        let silent = Set(silences(writers, at: wall).map(\.0.store))
        let (begun, ended) = state.withLock { state in
            defer { state.reported = silent }
            return (silent.subtracting(state.reported), state.reported.subtracting(silent))
        }
        let stores = Dictionary(writers.map { ($0.id, $0.store) }) { first, _ in first }
        let notices = notices(writers, at: wall).filter { notice in
            notice.writer.flatMap { stores[$0] }.map(begun.contains) ?? false
        }
        return (notices, ended.sorted())
    }

    private func silences(
        _ writers: [WriterRecord],
        at wall: WallTime
    ) -> [(WriterHabits.Silence, last: WriterRecord)] {
        let found = state.withLock { $0.habits.silences(at: wall) }
        guard !found.isEmpty else { return [] }
        let byStore = Dictionary(grouping: writers, by: \.store)
        return found.compactMap { silence in
            let writers = byStore[silence.store] ?? []
            guard writers.contains(where: { $0.state == nil }), let last = writers.present else { return nil }
            return (silence, last)
        }
    }
}

import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

/// The other writers in the status: their names in problems, what is missing of them, and how far the store is behind them.
extension StatusReport {
    private static let listedWriters = 10

    static func addWriters(_ records: [WriterRecord], _ engine: Engine, to status: inout StatusMessage) {
        let known = engine.sync.knownTransactions(records)
        for index in status.problems.indices {
            guard let writer = status.problems[index].writer.flatMap({ UniqueID($0) }) else { continue }
            status.problems[index].writerName = known.name(of: writer)
            guard status.problems[index].code == "segments-waiting" else { continue }
            let missing = engine.sync.missingParts(of: writer, known).map { MissingMessage($0) }
            status.problems[index].missing = missing.isEmpty ? nil : missing
        }
        status.writers = writers(known, own: engine.sync.ownWriter, engine)
    }

    private static func writers(_ known: KnownTransactions, own: UniqueID, _ engine: Engine) -> StatusMessage.Writers {
        let others = known.writers.filter { $0 != own }
        let behind = Dictionary(others.map { ($0, known.behind($0)) }) { first, _ in first }
        let shown = others.sorted { left, right in
            let (one, other) = (behind[left] ?? 0, behind[right] ?? 0)
            return one == other ? left < right : one > other
        }
        let (backlogs, now) = (engine.sync.backlogs, engine.wallTime)
        return StatusMessage.Writers(
            count: others.count,
            behind: behind.count { $0.value > 0 && known.record(of: $0.key)?.state != .abandoned },
            first: shown.prefix(listedWriters).map { id in
                var writer = StatusMessage.Writer(
                    id: id.description,
                    name: known.name(of: id),
                    behind: behind[id] ?? 0
                )
                let since = backlogs[id]?.since.milliseconds
                writer.lagSeconds = since.map { Double(now.milliseconds.subtractingSaturating($0)) / 1_000 }
                if writer.behind == 0 { writer.lagSeconds = writer.lagSeconds ?? 0 }
                guard let record = known.record(of: id) else { return writer }
                writer.state = record.state?.rawValue
                if record.sequence > 0 { writer.lastHeard = record.clock.wallTime.unixSeconds }
                return writer
            }
        )
    }
}

import Logging
import Synchronization
import TributaryAdmin
package import TributaryChanges
import TributaryStore

/// Gathers the counts of the next journal line: one for a save with its export and merge, and one a minute if busy.
struct ActivitySummary: Sendable {
    private static let gathering = Duration.seconds(2)
    private static let interval = Duration.seconds(60)
    private static let namedWriters = 3

    private(set) var due: Duration?
    private var first: Duration?
    private var lastLine: Duration?
    private var imported = ImportCounts()
    private var exported = ImportCounts()
    private var writers: [(id: UniqueID, name: String?)] = []
    private var furtherWriters: Set<UniqueID> = []
    private var merged = (inserted: 0, updated: 0, deleted: 0)
    private var hasMerged = false
    private var mergedUncounted = false

    mutating func imported(_ counts: ImportCounts, from names: [UniqueID: String?], at now: Duration) {
        imported = imported + counts
        for (writer, name) in names.sorted(by: { $0.key < $1.key }) {
            if let known = writers.firstIndex(where: { $0.id == writer }) {
                if let name { writers[known].name = name }
            } else if writers.count < Self.namedWriters {
                writers.append((writer, name))
            } else if furtherWriters.count < LogLimits.baselineWriters {
                furtherWriters.insert(writer)
            }
        }
        schedule(at: now)
    }

    mutating func exported(_ counts: ImportCounts, at now: Duration) {
        exported = exported + counts
        schedule(at: now)
    }

    mutating func merged(_ changes: ObjectChanges, at now: Duration) {
        merged.inserted += changes.inserted.count
        merged.updated += changes.updated.count
        merged.deleted += changes.deleted.count
        hasMerged = true
        if changes.isEverything || !changes.collapsedEntities.isEmpty { mergedUncounted = true }
        schedule(at: now)
    }

    private mutating func schedule(at now: Duration) {
        guard due == nil else { return }
        first = now
        due = max(now + Self.gathering, lastLine.map { $0 + Self.interval } ?? now)
    }

    mutating func take(at now: Duration) -> Logger.Metadata? {
        guard due != nil else { return nil }
        var line: Logger.Metadata = ["cause": "\(cause)"]
        if imported.transactions > 0 {
            let more = furtherWriters.isEmpty ? "" : " and \(furtherWriters.count) more"
            let named = writers.map { writer in writer.name.map { "\($0) (\(writer.id))" } ?? "\(writer.id)" }
            line["writers"] = "\(named.joined(separator: ", "))\(more)"
            line["imported"] = "\(imported.journalText)"
        }
        if exported.transactions > 0 { line["exported"] = "\(exported.journalText)" }
        if hasMerged {
            line["merged"] =
                mergedUncounted
                ? "more than can be listed"
                : "\(merged.inserted) inserted, \(merged.updated) updated, \(merged.deleted) deleted"
        }
        // A line about a single moment needs no duration.
        if let first, now - first > Self.gathering { line["seconds"] = "\((now - first).components.seconds)" }
        self = ActivitySummary()
        lastLine = now
        return line
    }

    private var cause: String {
        var causes: [String] = []
        if imported.transactions > 0 { causes.append("import") }
        if exported.changes > 0 { causes.append("save") }
        if exported.transactions > 0, exported.changes == 0 { causes.append("acknowledgement") }
        // The save is not exported yet, or another program made it.
        return causes.isEmpty ? "save" : causes.joined(separator: " and ")
    }
}

package final class ActivityJournal: Sendable {
    private let summary = Mutex(ActivitySummary())
    private let measured = Mutex(ActivityMeters())
    private let signal = Signal()
    private let clock: MonotonicClock
    private let logger: Logger

    init(clock: MonotonicClock, logger: Logger) {
        self.clock = clock
        self.logger = logger
    }

    func imported(_ counts: ImportCounts, from names: [UniqueID: String?], in duration: Duration) {
        let now = clock.now()
        measured.withLock { $0.imported(counts, in: duration, at: now) }
        record { $0.imported(counts, from: names, at: now) }
    }

    func exported(_ counts: ImportCounts, in duration: Duration) {
        let now = clock.now()
        measured.withLock { $0.exported(counts, in: duration, at: now) }
        record { $0.exported(counts, at: now) }
    }

    package func merged(_ changes: ObjectChanges) {
        let now = clock.now()
        let objects = changes.inserted.count + changes.updated.count + changes.deleted.count
        measured.withLock { $0.merged(objects, at: now) }
        record { $0.merged(changes, at: now) }
    }

    package var meters: ActivityMeters { measured.withLock { $0 } }

    package var now: Duration { clock.now() }

    package func finish() {
        if let line = summary.withLock({ $0.take(at: clock.now()) }) { logger.info("synchronized", metadata: line) }
    }

    func run() async {
        while !Task.isCancelled {
            let due = summary.withLock(\.due)
            if let due, due <= clock.now() { finish() }
            await signal.wait(until: summary.withLock(\.due), on: clock)
        }
        finish()
    }

    private func record(_ change: (inout ActivitySummary) -> Void) {
        summary.withLock { change(&$0) }
        signal.raise()
    }
}

extension ImportCounts {
    var journalMetadata: Logger.Metadata {
        ["segments": "\(segments)", "transactions": "\(transactions)", "changes": "\(changes)"]
    }

    var journalText: String {
        [(segments, "segment"), (transactions, "transaction"), (changes, "change")]
            .map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
    }
}

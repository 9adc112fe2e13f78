import GRDB
import TributaryChanges

/// Gives a local transaction its clock: greater than every applied clock that is not too far ahead of the wall clock.
///
/// A clock too far ahead matters only where the transaction replaces or beats writes with that clock, which is known
/// after the merge. The merge therefore uses a clock greater than all; then the transaction gets the least clock that
/// keeps the result of every comparison.
struct LocalClock {
    let transaction: WriteTransaction
    let engine: MergeEngine

    /// If clocks are too far ahead, it reads the ranks of all one-to-one owners that show nothing.
    func settle(_ header: inout TransactionHeader) throws {
        let limit = ClockLimit(transaction.reader)
        // Without such versions no clock is ahead.
        if header.clock > .last(of: limit.wall) { try lower(&header, limit) }
        guard header.clock.isAcceptable else { throw StoreError.invalidClock(header.clock) }
    }

    private func lower(_ header: inout TransactionHeader, _ limit: ClockLimit) throws {
        guard let met = engine.tables.versions.met else { return }
        let writers = try transaction.writers()
        let own = try writers.position(of: writers.own).clock
        let least = max(try writers.lastClock(upTo: limit.last), own, met.greatest).next(at: limit.wall)
        guard least < header.clock else { return }
        header.clock = least
        try TransactionTable(transaction.db).setClock(least, of: met.transaction)
        try UnresolvedReferenceTable.forgetRanks(transaction.db)
        engine.tables.versions.insert(
            Version(clock: least, writer: writers.own),
            origin: WriteOrigin(writer: met.own, sequence: header.sequence),
            of: met.transaction
        )
    }
}

struct ClockLimit {
    private let reader: Reader
    let wall: WallTime

    /// More than clocks of machines differ; not a setting, because the own clock follows the machine's clock.
    private static let maxAhead = Duration.seconds(3600)
    /// Unix milliseconds: when the store last took a new writer because its clock was ahead.
    private static var renewed: Setting<UInt64> { Setting("clock.renewed") }

    init(_ reader: Reader) {
        (self.reader, wall) = (reader, reader.context.configuration.environment.wallTime())
    }

    var last: HybridClock { .last(of: wall.later(by: ClockLimit.maxAhead)) }

    /// A writer's clock never falls, so the store takes a new writer if the clock is too far ahead.
    ///
    /// It does so at most once an hour, because overwriting a value with such a clock moves the new writer's clock
    /// ahead as well.
    func leaves(_ clock: HybridClock) throws -> Bool {
        guard clock > last else { return false }
        let former = try reader.settings.value(of: ClockLimit.renewed).map { WallTime(milliseconds: $0) }
        guard former?.isDue(after: ClockLimit.maxAhead, at: wall) ?? true else { return false }
        try reader.settings.set(ClockLimit.renewed, to: wall.milliseconds)
        return true
    }
}

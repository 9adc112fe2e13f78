import GRDB
import TributaryChanges

/// Gives a local transaction its clock.
///
/// The clock is greater than every applied clock that is not too far ahead of the wall clock. A clock that is too far
/// ahead, from whatever source, is considered only where a transaction replaces or beats the writes with that clock,
/// which is known only after the merge. So the transaction is merged with a clock greater than all, and then gets the
/// least clock that keeps the result of every comparison of its versions.
struct LocalClock {
    let transaction: WriteTransaction
    let engine: MergeEngine

    /// Sets the final clock, after the changes are merged.
    ///
    /// Where clocks are too far ahead, it reads the ranks of all one-to-one owners that show nothing. Throws
    /// ``StoreError`` `invalidClock` when other stores would refuse the clock.
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

    /// More than the clocks of machines differ, and not a setting: however far ahead a store takes the clocks of others,
    /// the own clock follows the machine's.
    private static let maxAhead = Duration.seconds(3600)
    /// Unix milliseconds: when the store last took a fresh writer because of a clock that was ahead.
    private static var renewed: Setting<UInt64> { Setting("clock.renewed") }

    init(_ reader: Reader) {
        (self.reader, wall) = (reader, reader.context.configuration.environment.wallTime())
    }

    var last: HybridClock { .last(of: wall.later(by: ClockLimit.maxAhead)) }

    /// Whether the store leaves a writer with this clock, and records that it does.
    ///
    /// It does when the clock is too far ahead, because the clocks of a writer only rise. A transaction that overwrites
    /// a value with a clock that is ahead moves the fresh writer's clock ahead as well. So that a store does not take a
    /// writer for each save, it takes at most one an hour.
    func leaves(_ clock: HybridClock) throws -> Bool {
        guard clock > last else { return false }
        let former = try reader.settings.value(of: ClockLimit.renewed).map { WallTime(milliseconds: $0) }
        guard former?.isDue(after: ClockLimit.maxAhead, at: wall) ?? true else { return false }
        try reader.settings.set(ClockLimit.renewed, to: wall.milliseconds)
        return true
    }
}

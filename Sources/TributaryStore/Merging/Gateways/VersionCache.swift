import GRDB
import TributaryChanges

final class VersionCache: VersionOrder {
    private struct Entry {
        var number: Int64
        var version: Version
        var origin: WriteOrigin<Int64>
    }

    private static let none = Entry(number: 0, version: .none, origin: WriteOrigin(writer: 0, sequence: 0))

    private let select: BoundStatement
    private var entries: [Int64: Entry] = [:]
    @exclusivity(unchecked) private var newest = none
    /// Callers alternate between two numbers; this saves 6 % of the instructions of updates that lose.
    @exclusivity(unchecked) private var (last, former) = (none, none)
    private static let limit = 100_000
    @exclusivity(unchecked) var met: MetVersions?

    init(_ db: Database) throws {
        select = try TransactionOrigin.select(db)
    }

    func insert(_ version: Version, origin: WriteOrigin<Int64>, of number: Int64) {
        newest = Entry(number: number, version: version, origin: origin)
        entries[number] = newest
        (last, former) = (VersionCache.none, VersionCache.none)
    }

    func version(_ number: Int64) throws -> Version {
        let found = try entry(number)
        met?.insert(found.version.clock, found.origin, of: number)
        return found.version
    }

    func origin(_ number: Int64) throws -> WriteOrigin<Int64> { try entry(number).origin }

    private func entry(_ number: Int64) throws -> Entry {
        if number == newest.number { return newest }
        if number == last.number { return last }
        if number == former.number { return former }
        if let known = entries[number] {
            (last, former) = (known, last)
            return known
        }
        select.bind(1, number)
        let found = try select.first { row in
            let origin = TransactionOrigin(row)
            return Entry(number: number, version: origin.version, origin: origin.origin)
        }
        guard let found else {
            throw StoreError.database(code: 11, message: "transaction \(number) is missing from tributary_transaction")
        }
        if entries.count >= VersionCache.limit { entries.removeAll(keepingCapacity: true) }
        entries[number] = found
        (last, former) = (found, last)
        return found
    }

    func isOlder(_ first: Int64, than second: Int64) throws -> Bool {
        return try first != second && version(first) < version(second)
    }
}

/// The versions that a local transaction is compared with; its own must be greater, because its writes win.
struct MetVersions {
    let transaction: Int64
    let own: Int64
    /// Without the clocks of the store's own writer, which the clock exceeds anyway.
    private(set) var greatest = HybridClock.zero

    mutating func insert(_ clock: HybridClock, _ origin: WriteOrigin<Int64>, of number: Int64) {
        guard number != transaction, origin.writer != own else { return }
        greatest = max(greatest, clock)
    }
}

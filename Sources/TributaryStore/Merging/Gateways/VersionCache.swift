import GRDB
import TributaryChanges

/// Looks up the versions and origins behind the numbers of the store (see ``VersionNumber``) and compares versions.
///
/// The version of a transaction never changes, so it is read once; the size of the cache is bounded.
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
    /// The last two entries that were looked up: versions and origins of two numbers are asked for in turn, which saves
    /// 6 % of the instructions of updates that lose.
    @exclusivity(unchecked) private var (last, former) = (none, none)
    private static let limit = 100_000
    /// Whether the store has applied branches of a writer, whose clones may have made equal versions.
    @exclusivity(unchecked) var hasClones: Bool
    /// The versions that the local transaction that is being merged is compared with; nil for other transactions.
    @exclusivity(unchecked) var met: MetVersions?

    init(_ db: Database) throws {
        hasClones = try db.hasRows("tributary_writer INDEXED BY tributary_writer_branch WHERE branch <> ''")
        select = try BoundStatement(
            db,
            """
            SELECT t.clock, w.uuid, t.writer, t.sequence FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE t.number = ?1
            """
        )
    }

    /// Caches the version of the transaction whose changes are being merged.
    ///
    /// The writer of the origin is a row of `tributary_writer`.
    func insert(_ version: Version, origin: WriteOrigin<Int64>, of number: Int64) {
        newest = Entry(number: VersionNumber.transaction(of: number), version: version, origin: origin)
        entries[newest.number] = newest
        (last, former) = (VersionCache.none, VersionCache.none)
    }

    /// - Throws: ``StoreError`` `database` when the transaction is missing.
    func version(_ number: Int64) throws -> Version {
        let version = try version(ofTransaction: number)
        let index = VersionNumber.index(of: number)
        return index == 0 ? version : Version(clock: version.clock, writer: version.writer, index: index)
    }

    /// The writer, as a row of `tributary_writer`, and the sequence of a write.
    ///
    /// - Throws: ``StoreError`` `database` when the transaction is missing.
    func origin(_ number: Int64) throws -> WriteOrigin<Int64> {
        try entry(VersionNumber.transaction(of: number)).origin
    }

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
            Entry(
                number: number,
                version: Version(
                    clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(0))),
                    writer: UniqueID(row.text(1)) ?? Version.none.writer
                ),
                origin: WriteOrigin(writer: row.integer(2), sequence: UInt64(bitPattern: row.integer(3)))
            )
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
        if first == second { return false }
        // Writes of one transaction differ only in the index.
        if VersionNumber.transaction(of: first) == VersionNumber.transaction(of: second) { return first < second }
        #if MUTATIONS
            // The store's own writer has the first row.
            if Mutation.isOn(.mineWinsTie), try version(first).clock == version(second).clock {
                if try origin(first).writer == 1 { return false }
                if try origin(second).writer == 1 { return true }
            }
        #endif
        let (left, right) = (try version(ofTransaction: first), try version(ofTransaction: second))
        // Of clones the indexes do not compare: a store keeps some of them only.
        if left.clock == right.clock, left.writer == right.writer { return false }
        return left < right
    }

    func areOfClones(_ first: Int64, _ second: Int64) throws -> Bool {
        guard hasClones, VersionNumber.transaction(of: first) != VersionNumber.transaction(of: second) else {
            return false
        }
        return try version(ofTransaction: first) == version(ofTransaction: second)
    }

    func index(of stamp: Int64) -> Int { VersionNumber.index(of: stamp) }

    /// The version of a write without its index.
    private func version(ofTransaction number: Int64) throws -> Version {
        let found = try entry(VersionNumber.transaction(of: number))
        met?.insert(found.version.clock, found.origin, of: found.number)
        return found.version
    }
}

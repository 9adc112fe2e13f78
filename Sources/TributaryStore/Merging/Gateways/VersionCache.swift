import GRDB
import TributaryChanges

/// Looks up the versions behind the numbers of the store (see ``VersionNumber``) and compares them.
///
/// The version of a transaction never changes, so it is read once; the size of the cache is bounded.
final class VersionCache: VersionOrder {
    private let select: BoundStatement
    private var versions: [Int64: Version] = [:]
    private var newest: (number: Int64, version: Version) = (0, .none)
    private static let limit = 100_000

    init(_ db: Database) throws {
        select = try BoundStatement(
            db,
            """
            SELECT t.clock, w.uuid FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE t.number = ?1
            """
        )
    }

    /// Caches the version of the transaction whose changes are being merged.
    func insert(_ version: Version, of number: Int64) {
        let number = VersionNumber.transaction(of: number)
        newest = (number, version)
        versions[number] = version
    }

    /// - Throws: ``StoreError`` `database` when the transaction is missing.
    func version(_ number: Int64) throws -> Version {
        let version = try version(ofTransaction: VersionNumber.transaction(of: number))
        let index = VersionNumber.index(of: number)
        return index == 0 ? version : Version(clock: version.clock, writer: version.writer, index: index)
    }

    private func version(ofTransaction number: Int64) throws -> Version {
        if number == newest.number { return newest.version }
        if let known = versions[number] { return known }
        select.bind(1, number)
        let found = try select.first { row in
            Version(
                clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(0))),
                writer: UniqueID(row.text(1)) ?? Version.none.writer
            )
        }
        guard let found else {
            throw StoreError.database(code: 11, message: "transaction \(number) is missing from tributary_transaction")
        }
        if versions.count >= VersionCache.limit { versions.removeAll(keepingCapacity: true) }
        versions[number] = found
        return found
    }

    func isOlder(_ first: Int64, than second: Int64) throws -> Bool {
        if first == second { return false }
        // Writes of one transaction differ only in the index.
        if VersionNumber.transaction(of: first) == VersionNumber.transaction(of: second) { return first < second }
        return try version(first) < version(second)
    }
}

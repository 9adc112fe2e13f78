import GRDB
import TributaryChanges
import TributaryModel

/// Finds the conflicts of imported writes and keeps the values that do not stand; merge statement 20.
///
/// Only imported transactions are compared with the writes of others: a local write has seen every applied one, and of a
/// deferred write that takes effect it is not known any more what its writer had seen.
final class ConflictRecorder {
    private let layout: StoreModel
    private let cursor: TransactionCursor
    private let versions: VersionCache
    private let seen: SeenSequences
    private let table: ConflictTable
    /// Whether the transactions that are being merged are imported.
    @exclusivity(unchecked) private var isImporting = false

    init(_ db: Database, layout: StoreModel, cursor: TransactionCursor, versions: VersionCache) throws {
        self.layout = layout
        self.cursor = cursor
        self.versions = versions
        seen = try SeenSequences(db)
        table = ConflictTable(db)
    }

    /// Begins the imported transaction of the cursor, which acknowledges transactions of other writers.
    func begin(seen acknowledged: [(other: Int64, sequence: UInt64)]) throws {
        isImporting = true
        try seen.record(acknowledged, by: cursor.writer, number: cursor.revision)
    }

    /// Whether a write was made by another writer than that of the change that is being merged.
    ///
    /// It is asked for each value that meets another one.
    @inline(__always)
    func isForeign(_ applied: Int64) throws -> Bool {
        guard isImporting, !cursor.isLocal, applied != cursor.revision else { return false }
        return try versions.origin(applied).writer != cursor.writer
    }

    /// Whether a write that was applied before and the change that is being merged are a conflict.
    ///
    /// - Parameters:
    ///   - applied: The number of the version of the write.
    ///   - isArrivingLost: Whether the change that is being merged does not stand.
    ///   - insert: The number of the object's insert; nil when it is not known.
    /// - Returns: whether the value that does not stand is to be kept.
    /// - Throws: ``StoreError`` when the store cannot be read.
    func isConflict(with applied: Int64, isArrivingLost: Bool, insertedAt insert: Int64? = nil) throws -> Bool {
        guard try isForeign(applied) else { return false }
        let origin = try versions.origin(applied)
        let arriving = try versions.origin(cursor.number)
        // A store that was set back may take its own new transaction for one that others have seen, and apply theirs
        // first.
        if isArrivingLost {
            let isKnown = try seen.had(arriving.sequence, of: cursor.writer, seenBy: origin.writer, at: applied)
            if isKnown == true { return false }
        }
        let hasSeen = try seen.had(origin.sequence, of: origin.writer, seenBy: cursor.writer, at: cursor.revision)
        let isOwnObject = try insert.map { try versions.origin($0).writer == cursor.writer } ?? false
        return Causality(of: arriving, after: origin, hasSeen: hasSeen, isOwnObject: isOwnObject)
            .isConflict(isArrivingLost: isArrivingLost)
    }

    /// Keeps a conflict, or only counts it when there are too many.
    func keep(_ entry: () throws -> ConflictEntry) throws {
        guard try table.hasRoom() else { return table.drop() }
        try table.insert(entry(), transaction: cursor.revision)
    }

    func flush() throws { try table.flush() }

    /// The name of the highest entity that has the column, when the concrete entity is not known.
    func entityName(of column: StoreModel.ColumnIndex) -> String {
        entityName(in: column.table) { $0.holds[column.column] }
    }

    /// The name of the highest entity of the table that has the property.
    func entityName(of property: String, table: Int) -> String {
        entityName(in: table) { entity in entity.entity.properties.contains { $0.name == property } }
    }

    private func entityName(in table: Int, _ isHolder: (EntityLayout) -> Bool) -> String {
        let names = layout.entities.filter { $0.table == table && isHolder($0) }.map(\.entity)
        let highest = names.first { entity in !names.contains { $0.name == entity.parent } }
        return highest?.name ?? layout.tables[table].root.name
    }
}

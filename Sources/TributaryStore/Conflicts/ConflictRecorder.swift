import GRDB
import TributaryChanges
import TributaryModel

/// Finds the conflicts of imported writes and keeps the values that lose; merge statement 20.
///
/// A local write has seen all applied writes, so it is never in conflict. Deferred writes that take effect are not
/// compared, because the store no longer knows what their writers had seen.
final class ConflictRecorder {
    private let layout: StoreModel
    private let cursor: TransactionCursor
    private let versions: VersionCache
    private let seen: SeenSequences
    private let table: ConflictTable
    @exclusivity(unchecked) private var isImporting = false
    /// The previous answer; neighbouring writes mostly ask the same question, and later transactions change no answer.
    @exclusivity(unchecked) private var last: (question: Question, isConflict: Bool)?

    private struct Question: Equatable {
        var applied: Int64
        var arriving: Int64
        var revision: Int64
        var isArrivingLost: Bool
        var isOwnObject: Bool
    }

    init(_ db: Database, layout: StoreModel, cursor: TransactionCursor, versions: VersionCache) throws {
        self.layout = layout
        self.cursor = cursor
        self.versions = versions
        seen = try SeenSequences(db)
        table = ConflictTable(db)
    }

    func begin(seen acknowledged: [(other: Int64, sequence: UInt64)]) throws {
        isImporting = true
        try seen.record(acknowledged, by: cursor.writer, number: cursor.revision)
    }

    @inline(__always)
    func isForeign(_ applied: Int64) throws -> Bool {
        guard isImporting, !cursor.isLocal, applied != cursor.revision else { return false }
        return try versions.origin(applied).writer != cursor.writer
    }

    /// `applied` and `insert` are numbers of versions; `insert` is nil if the object's insert is not known.
    func isConflict(with applied: Int64, isArrivingLost: Bool, insertedAt insert: Int64? = nil) throws -> Bool {
        guard try isForeign(applied) else { return false }
        let isOwnObject = try insert.map { try versions.origin($0).writer == cursor.writer } ?? false
        let question = Question(
            applied: applied,
            arriving: cursor.number,
            revision: cursor.revision,
            isArrivingLost: isArrivingLost,
            isOwnObject: isOwnObject
        )
        if let last, last.question == question { return last.isConflict }
        let isConflict = try isConflict(question)
        last = (question, isConflict)
        return isConflict
    }

    private func isConflict(_ question: Question) throws -> Bool {
        let (applied, revision) = (question.applied, question.revision)
        let (origin, arriving) = (try versions.origin(applied), try versions.origin(question.arriving))
        // A store that was set back may mistake its own new transaction for a transaction that others have seen.
        if question.isArrivingLost {
            let isKnown = try seen.had(arriving.sequence, of: cursor.writer, seenBy: origin.writer, at: applied)
            if isKnown == true { return false }
        }
        let hasSeen = try seen.had(origin.sequence, of: origin.writer, seenBy: cursor.writer, at: revision)
        return Causality(of: arriving, after: origin, hasSeen: hasSeen, isOwnObject: question.isOwnObject)
            .isConflict(isArrivingLost: question.isArrivingLost)
    }

    func keep(_ entry: () throws -> ConflictEntry) throws {
        guard try table.hasRoom() else { return table.drop() }
        try table.insert(entry(), transaction: cursor.revision)
    }

    func flush() throws { try table.flush() }

    /// If the concrete entity is not known, this is the highest entity with the column.
    func entityName(of column: StoreModel.ColumnIndex) -> String {
        entityName(in: column.table) { $0.holds[column.column] }
    }

    func entityName(of property: String, table: Int) -> String {
        entityName(in: table) { entity in entity.entity.properties.contains { $0.name == property } }
    }

    private func entityName(in table: Int, _ isHolder: (EntityLayout) -> Bool) -> String {
        let names = layout.entities.filter { $0.table == table && isHolder($0) }.map(\.entity)
        let highest = names.first { entity in !names.contains { $0.name == entity.parent } }
        return highest?.name ?? layout.tables[table].root.name
    }
}

struct LinkConflicts {
    let recorder: ConflictRecorder

    func keep(
        of state: LinkState<Int64>,
        with known: LinkTables.Pair,
        _ link: LinkLayout,
        isAccepted: Bool
    ) throws {
        guard try recorder.isForeign(known.state.version) else { return }
        if known.state.isRemoved == state.isRemoved, known.state.hasPosition(of: state) { return }
        guard try recorder.isConflict(with: known.state.version, isArrivingLost: !isAccepted) else { return }
        let (losing, winning) = isAccepted ? (known.state, state) : (state, known.state)
        try recorder.keep {
            entry(
                .property(.latest),
                link,
                known.source,
                known.target,
                losing,
                winning.version,
                value(winning, known.target)
            )
        }
    }

    func keep(
        _ source: UniqueID,
        _ target: UniqueID,
        of state: LinkState<Int64>,
        _ link: LinkLayout,
        hiddenBy deletions: [Int64]
    ) throws {
        guard !state.isRemoved else { return }
        for deletion in deletions where try recorder.isConflict(with: deletion, isArrivingLost: true) {
            return try recorder.keep { entry(.deletion, link, source, target, state, deletion, nil) }
        }
    }

    func keep(_ pair: LinkTables.Pair, _ link: LinkLayout, hiddenBy deletion: Int64) throws {
        guard try recorder.isConflict(with: pair.state.version, isArrivingLost: false) else { return }
        try recorder.keep { entry(.deletion, link, pair.source, pair.target, pair.state, deletion, nil) }
    }

    private func entry(
        _ rule: Conflict.Rule,
        _ link: LinkLayout,
        _ source: UniqueID,
        _ target: UniqueID,
        _ losing: LinkState<Int64>,
        _ winning: Int64,
        _ winningValue: JSONValue?
    ) -> ConflictEntry {
        ConflictEntry(
            kind: .link,
            rule: rule,
            entity: recorder.entityName(of: link.sourceProperty, table: link.source),
            id: source,
            property: link.sourceProperty,
            losing: losing.version,
            losingValue: value(losing, target),
            winning: winning,
            winningValue: winningValue
        )
    }

    /// `{"link":"…"}` or `{"unlink":"…"}` with the other end, and the position in an ordered relationship.
    private func value(_ state: LinkState<Int64>, _ target: UniqueID) -> JSONValue {
        var members = [JSONMember(key: state.isRemoved ? "unlink" : "link", value: .string(target.description))]
        if let position = state.position { members.append(JSONMember(key: "position", value: .string(position))) }
        return .object(members)
    }
}

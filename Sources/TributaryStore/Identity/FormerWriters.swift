package import TributaryChanges

/// The writers that the store was before it continued as another one, or that the store was of which it is a copy.
package struct FormerWriters: Hashable, Sendable {
    /// The number of writers that are kept: the last ones.
    package static let limit = 1_000

    private struct Former: Hashable {
        var writer: UniqueID
        /// The wall time after which what the writer writes comes from elsewhere: that at which the store became another
        /// one, or the epoch when another program may go on as the former one.
        var end: WallTime

        var text: String { "\(writer)@\(end.milliseconds)" }
    }

    private var formers: [Former] = []

    package init() {}

    /// Reads them: those that are listed, and those that earlier programs, which kept no list, have left other traces of.
    package init(_ reader: Reader) throws {
        for text in try reader.setting(IdentityKeys.formers)?.split(separator: " ") ?? [] {
            let parts = text.split(separator: "@")
            guard parts.count == 2, let writer = UniqueID(String(parts[0])), let end = UInt64(parts[1]) else {
                continue
            }
            formers.append(Former(writer: writer, end: WallTime(milliseconds: end)))
        }
        let listed = Set(formers.map(\.writer))
        formers.insert(contentsOf: try FormerWriters.unlisted(reader).filter { !listed.contains($0.writer) }, at: 0)
    }

    /// The former writers of which the table of the writers tells: each was marked so when the store became another one,
    /// the first row is that of the store's first writer, and tokens of history carry another one of its writers.
    ///
    /// Nobody knows when the store has become another writer, so that none of them counts as in use elsewhere.
    private static func unlisted(_ reader: Reader) throws -> [Former] {
        let select = try BoundStatement(
            reader.database,
            """
            SELECT uuid FROM tributary_writer
            WHERE is_self = 0 AND branch = '' AND (state = 'former' OR id = 1 OR uuid = ?1) ORDER BY id
            """
        )
        select.bind(1, try reader.setting(IdentityKeys.tokens) ?? "")
        var found: [Former] = []
        try select.forEach { row in
            guard let writer = UniqueID(row.text(0)) else { return }
            found.append(Former(writer: writer, end: WallTime(milliseconds: .max)))
        }
        return found
    }

    /// The former writers, the last one at the end.
    package var all: [UniqueID] { formers.map(\.writer) }

    /// Whether a former writer is in use elsewhere: it has written something after this store became another one, or
    /// another program may go on as it.
    package func isInUse(_ record: WriterRecord) -> Bool {
        formers.contains { $0.writer == record.id && record.clock.wallTime > $0.end }
    }

    /// Adds a writer, or the time at which the store has become another one once more.
    package mutating func add(_ writer: UniqueID, at end: WallTime) {
        formers = (formers.filter { $0.writer != writer } + [Former(writer: writer, end: end)]).suffix(
            FormerWriters.limit
        )
    }

    func record(_ transaction: WriteTransaction) throws {
        try transaction.setSetting(IdentityKeys.formers, to: formers.map(\.text).joined(separator: " "))
    }
}

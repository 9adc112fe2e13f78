import GRDB
package import TributaryChanges
import TributaryModel

/// The canonical merge state as lines of text, without numbers that only this store uses.
final class MergeStateText {
    private let reader: Reader
    private let includesShown: Bool
    private let layout: StoreModel
    private let versions: VersionCache
    private var versionTexts: [Int64: String] = [:]
    private static let versionTextLimit = 10_000

    init(reader: Reader, includesShown: Bool) throws {
        self.reader = reader
        self.includesShown = includesShown
        layout = reader.context.layout
        versions = try VersionCache(reader.database)
    }

    func forEachLine(_ emit: (String) -> Void) throws {
        let deferred = SortedLines()
        try MergeState(reader: reader, versions: versions, includesShown: includesShown).forEach { item in
            switch item {
            case .object(let object): try lines(of: object, emit)
            case .pair(let pair): emit(try line(of: pair))
            case .counter(let counter): lines(of: counter, emit)
            case .deferred(let object): try lines(of: object) { try deferred.add($0) }
            }
        }
        try deferred.forEach(emit)
        guard includesShown else { return }
        try KeptLines(reader).forEach { number, index, change in
            let line = String(decoding: change.line.dropLast(), as: UTF8.self)
            emit("kept \(index) of \(try text(number)): \(line)")
        }
    }

    private func lines(of object: MergeStateItem.Object, _ emit: (String) -> Void) throws {
        let head = "\(object.table.root.name) \(object.id)"
        if let insert = object.insert {
            let deleted = try object.deleted.map { " deleted \(try text($0))" } ?? ""
            let shown = object.representative.map { " shown as \($0)" } ?? ""
            emit("\(head) \(insert.entity.entity.name) inserted \(try text(insert.version))\(deleted)\(shown)")
        } else {
            emit("\(head) hidden deleted \(try object.deleted.map { try text($0) } ?? "never")")
        }
        for item in object.columns {
            let column = object.table.columns[item.index]
            if let shown = item.shown { emit("  \(column.name) shows \(shown.canonicalBlob.json.text)") }
            guard let register = item.register else { continue }
            let line = "  \(column.name) = \(register.value.canonicalBlob.json.text)"
            emit(column.mergeRule.comparesVersions ? "\(line) at \(try text(register.version))" : line)
        }
    }

    private func line(of pair: MergeStateItem.Pair) throws -> String {
        let kind = pair.isLinked ? "linked" : "unlinked"
        var line = "\(pair.link.name) \(pair.source) \(pair.target) \(kind) \(try text(pair.version))"
        if let position = pair.position { line += " at \(JSONValue.string(position).text)" }
        if includesShown, pair.isShown { line += " shown" }
        return line
    }

    private func lines(of counter: MergeStateItem.Counter, _ emit: (String) -> Void) {
        let table = layout.tables[counter.column.table].root.name
        let head = "counter \(table) \(counter.id) \(layout[counter.column].name)"
        let totals = counter.totals.filter { !CounterTotals.isZero($0.total) }
        if totals.isEmpty { emit("\(head) 0") }
        for (writer, total) in totals { emit("\(head) \(writer) \(total.json.text)") }
    }

    /// Digests omit writes without a rule in the model or its listed versions, because other stores may have more of them.
    private func lines(of object: DeferredObject, _ emit: (String) throws -> Void) throws {
        let head = "parked \(JSONValue.string(object.entity).text) \(object.id)"
        func name(_ property: String) -> String { JSONValue.string(property).text }
        func isShown(_ property: String, of entity: String) -> Bool {
            includesShown || layout.isListed(property, of: entity)
        }
        /// Whether the inserts of the writer already give the total; a store that has joined a baseline lacks such a total.
        func isOfInserts(_ total: DeferredTotal, _ property: String, _ writer: UniqueID) -> Bool {
            var inserted = DeferredTotal()
            for amount in object.amounts where amount.writer == writer && amount.property == property {
                inserted.add(amount.value, of: amount.entity)
            }
            return inserted.text == total.text
        }
        if let deletion = object.deletion, includesShown || layout.isListed(entity: object.entity) {
            try emit("\(head) deleted \(text(deletion))")
        }
        if let insert = object.insert, includesShown || layout.isListed(entity: insert.entity) {
            try emit("\(head) inserted \(text(insert.version))")
        }
        for (key, register) in object.registers where isShown(key.property, of: register.value.entity) {
            let line = "\(head) \(name(key.property)) = \(register.value.json.deferredForm)"
            try emit(key.rule.comparesVersions ? "\(line) at \(text(register.version))" : line)
        }
        for (property, totals) in object.totals {
            let shown = totals.filter { writer, total in
                total.hasRule && total.parts.keys.allSatisfy { isShown(property, of: $0.entity) }
                    || includesShown && !isOfInserts(total, property, writer)
            }.mapValues(\.text)
            let counted = shown.filter { $0.value != "0" }
            if counted.isEmpty, !shown.isEmpty { try emit("\(head) \(name(property)) counts 0") }
            for (writer, total) in counted { try emit("\(head) \(name(property)) counts \(total) by \(writer)") }
        }
        for (pair, link) in object.pairs
        where isShown(pair.property, of: object.owners[pair.property] ?? object.entity) {
            var line = "\(head) \(name(pair.property)) \(pair.target) \(link.isRemoved ? "unlinked" : "linked")"
            if let position = link.position, !position.isEmpty { line += " at \(name(position))" }
            try emit("\(line) \(text(link.version))")
        }
        guard includesShown else { return }
        for bound in object.bounds {
            let write = bound.write
            try emit("\(head) \(name(bound.entity)) \(name(write.name)) = \(write.value.deferredForm) as a bound")
        }
    }

    private func text(_ number: Int64) throws -> String {
        if let known = versionTexts[number] { return known }
        let version = try versions.version(number)
        if versionTexts.count >= MergeStateText.versionTextLimit { versionTexts.removeAll(keepingCapacity: true) }
        let text = "\(version.clock)/\(version.writer)"
        versionTexts[number] = text
        return text
    }
}

/// A temporary file of SQLite sorts the lines in the order of Swift's strings, in bounded memory.
private final class SortedLines {
    private var file: DatabaseQueue?

    func add(_ line: String) throws {
        if file == nil {
            file = try DatabaseQueue.scratch()
            try file?.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE line(text TEXT)") }
        }
        try file?.writeWithoutTransaction { file in
            let insert = try BoundStatement(file, "INSERT INTO line VALUES (?1)")
            insert.bind(1, line)
            try insert.run()
        }
    }

    func forEach(_ body: (String) throws -> Void) throws {
        let order = DatabaseCollation.unicodeCompare.name
        try file?.writeWithoutTransaction { file in
            let select = try BoundStatement(file, "SELECT text FROM line ORDER BY text COLLATE \(order), rowid")
            try select.forEach { try body($0.text(0)) }
        }
    }
}

package struct MergeStateReader {
    let reader: Reader

    /// Equal for stores that have applied the same transactions in any order; O(n) for n rows.
    package func digest(progress: (Int64) -> Void = { _ in }) throws -> StoreDigest {
        var hash = SHA256()
        var objects: Int64 = 0
        try MergeStateText(reader: reader, includesShown: false).forEachLine { line in
            var line = line
            line += "\n"
            line.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
            guard line.utf8.first != UInt8(ascii: " ") else { return }
            objects += 1
            if objects & 0x3FF == 0 { progress(objects) }
        }
        var vector: [UniqueID: StoreDigest.Position] = [:]
        for writer in try reader.writers.all() where writer.sequence > 0 {
            vector[writer.id] = StoreDigest.Position(sequence: writer.sequence, hash: writer.lastSegmentHash)
        }
        return StoreDigest(digest: hash.finalize().hexadecimal, vector: vector)
    }

    package func dump() throws -> String {
        var text = ""
        try MergeStateText(reader: reader, includesShown: true).forEachLine { line in
            text += line
            text += "\n"
        }
        return text
    }
}

package struct StoreDigest: Sendable, Hashable {
    package struct Position: Sendable, Hashable {
        package var sequence: UInt64
        package var hash: String?
    }

    package var digest: String
    package var vector: [UniqueID: Position]
}

import GRDB
import TributaryChanges
import TributaryModel

/// Groups the cells of baselines and segments by key, in a temporary table.
///
/// A cell is the smallest part of the merge state that a write can replace. Keys name tables, because writes under
/// several entities may replace the same cell.
final class BaselineCells {
    enum Kind: String {
        case insert, delete, value, pair, bound, total
        /// A write that the model lacks. Each such write is a separate cell.
        case deferred
    }

    struct Key: CustomStringConvertible {
        var kind: Kind
        var rule: MergeRule
        /// Only of totals; without a writer, the cell means that the counter has totals.
        var writer: UniqueID?
        var description: String
    }

    struct Cell: Equatable, CustomStringConvertible {
        var version: Version
        var sequence: UInt64
        /// Canonical JSON text; a long value is represented by its beginning and its hash.
        var value: String
        /// The keys of the deletions that remove the cell: a pair has two ends, so it has two keys.
        var deletions: [String]
        var amount: PropertyValue?

        var description: String {
            amount?.json.text ?? "\(value) of transaction \(sequence) of writer \(version.writer) at \(version.clock)"
        }

        static func == (left: Cell, right: Cell) -> Bool {
            left.version == right.version && left.sequence == right.sequence && left.value.isIdentical(to: right.value)
        }
    }

    /// In bounded memory, because a file may contain any number of cells with one key.
    struct Group {
        /// More than one cell only if the state is invalid, or if the writes are deferred.
        struct State: Equatable {
            private(set) var first: Cell?
            private(set) var other: Cell?
            private(set) var count = 0

            fileprivate mutating func add(_ cell: Cell) {
                if first == nil { first = cell } else if cell != first { other = cell }
                count += 1
            }
        }

        var own = State()
        var baseline = State()
        var later: Cell?
        var earlier: Cell?

        /// The sides come in order, so the cells of the baseline are complete before the log.
        fileprivate mutating func add(_ cell: Cell, of key: Key, _ side: BaselineLaw.Side) {
            switch side {
            case .own: own.add(cell)
            case .baseline: baseline.add(cell)
            case .later: later = combined(later, cell, of: key)
            case .earlier: earlier = combined(earlier, cell, of: key)
            }
        }

        private func combined(_ known: Cell?, _ cell: Cell, of key: Key) -> Cell {
            guard var known else { return cell }
            switch (key.kind, known.amount, cell.amount) {
            case (.total, let sum?, let amount?): known.amount = CounterTotals.sum(sum, amount)
            case (.bound, let best?, let amount?): known.amount = amount.replaces(best, under: key.rule) ? amount : best
            case (.total, _, _), (.bound, _, _): break
            default:
                // A baseline keeps only one of the values that a transaction writes.
                let isKept = baseline.first.map { cell.value.isIdentical(to: $0.value) } ?? false
                if known.version < cell.version || known.version == cell.version && isKept { return cell }
            }
            return known
        }
    }

    private let layout: StoreModel
    private let scratch: Database
    /// Transactions with a write that has no cell; it may win against other writes of its transaction.
    private var unresolved: Set<Version> = []
    private static let unresolvedLimit = 100_000
    private let insert: BoundStatement
    private let find: BoundStatement

    private static let select = "SELECT side, key, clock, writer, sequence, value, end, other, place, amount FROM cell"

    init(_ layout: StoreModel, _ scratch: Database) throws {
        self.layout = layout
        self.scratch = scratch
        try scratch.execute(
            sql: """
                CREATE TABLE cell(
                    side INTEGER, key TEXT, clock INTEGER, writer TEXT, sequence INTEGER, value TEXT, end TEXT,
                    other TEXT, place INTEGER, amount TEXT)
                """
        )
        insert = try BoundStatement(scratch, "INSERT INTO cell VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
        find = try BoundStatement(scratch, "\(BaselineCells.select) WHERE key = ?1 AND side = ?2")
    }

    // MARK: Reading

    func forEachKey(_ body: (Key, Group) throws -> Void) throws {
        try scratch.execute(sql: "CREATE INDEX cell_key ON cell(key, side)")
        let rows = try BoundStatement(scratch, "\(BaselineCells.select) ORDER BY key, side, rowid")
        var (text, key, group) = ("", Key?.none, Group())
        try rows.forEach { row in
            if !row.text(1).isIdentical(to: text) {
                if let key { try body(key, group) }
                (text, group) = (row.text(1), Group())
                key = self.key(text, row)
            }
            guard let key, let side = BaselineLaw.Side(rawValue: row.integer(0)) else { return }
            group.add(self.cell(row), of: key, side)
        }
        if let key { try body(key, group) }
    }

    func isSuperseded(
        _ cell: Cell,
        by side: BaselineLaw.Side,
        where isWanted: (Cell) -> Bool = { _ in true }
    ) throws -> Bool {
        try cell.deletions.contains { key in
            find.bindAll(key, side.rawValue)
            return try find.first {
                let deletion = self.cell($0)
                return cell.version < deletion.version && isWanted(deletion)
            } ?? false
        }
    }

    func isUnresolved(_ version: Version) -> Bool {
        unresolved.count >= BaselineCells.unresolvedLimit || unresolved.contains(version)
    }

    private func key(_ text: String, _ row: BoundStatement) -> Key? {
        guard case .array(let parts)? = JSONValue(text: text) else { return nil }
        let texts = parts.map { if case .string(let text) = $0 { text } else { "" } }
        guard let kind = texts.first.flatMap(Kind.init) else { return nil }
        let rule = index(row).map { layout[$0].mergeRule } ?? .latest
        let writer = kind == .total ? texts.last.flatMap { UniqueID($0) } : nil
        return Key(kind: kind, rule: rule, writer: writer, description: texts.joined(separator: " "))
    }

    private func cell(_ row: BoundStatement) -> Cell {
        let writer = UniqueID(row.text(3)) ?? Version.none.writer
        return Cell(
            version: Version(clock: row.clock(2), writer: writer),
            sequence: row.sequence(4),
            value: row.text(5),
            deletions: [row.optionalText(6), row.optionalText(7)].compactMap(\.self),
            amount: amount(row)
        )
    }

    private func index(_ row: BoundStatement) -> StoreModel.ColumnIndex? {
        row.optionalInteger(8).map { StoreModel.ColumnIndex(table: Int($0 >> 32), column: Int($0 & 0xFFFF_FFFF)) }
    }

    private func amount(_ row: BoundStatement) -> PropertyValue? {
        guard let json = row.optionalText(9).flatMap({ JSONValue(text: $0) }) else { return nil }
        guard let index = index(row), layout[index].mergeRule.isBound, case .attribute(let type, _) = layout[index].kind
        else { return CounterTotals.number(json) }
        return type.scalarValue(from: json)
    }

    // MARK: Entries of a baseline, and changes of segments

    typealias Stamp = (version: Version, sequence: UInt64)

    /// Adds the cells of a change, but for its increments and bounds.
    func add(_ change: Change, isKept: Bool = false, _ side: BaselineLaw.Side, _ stamp: Stamp) throws {
        guard !isKept, let entity = layout.entity(named: change.entity) else {
            return try deferred(change, side, stamp)
        }
        let root = layout.tables[entity.table].root.name
        let deletion = BaselineCells.key(.delete, root, change.id)
        switch change.operation {
        case .delete: try put(side, deletion, stamp, "true", [deletion])
        case .link, .unlink: try addPairs(of: change, entity, side, stamp)
        case .insert where entity.entity.isAbstract: try deferred(change, side, stamp)
        case .insert(let writes), .update(let writes):
            let registers = writes.map { register($0, of: change, entity, side) }
            // In a baseline, values that the model lacks have separate lines, and these lines repeat the insert.
            let isInsertion = side == .earlier || writes.isEmpty || registers.contains { $0 != nil }
            if isInsertion, change.operation.valueWrites?.isInsert == true {
                let name = JSONValue.string(entity.entity.name).text
                try put(side, BaselineCells.key(.insert, root, change.id), stamp, name, [deletion])
            }
            for (write, register) in zip(writes, registers) {
                if let (index, id, value) = register {
                    try put(side, index, id, value, stamp)
                } else {
                    try deferred(change.withValues { _ in [write] }, side, stamp)
                }
            }
        }
    }

    func add(_ bound: BaselineBound, _ side: BaselineLaw.Side) throws {
        guard let (index, type, rule) = layout.attribute(bound.write.name, of: bound.entity), rule.isBound,
            let value = type.scalarValue(from: bound.write.value)
        else {
            return try putDeferred(side, ["bound", bound.entity, "\(bound.id)", bound.write.name], bound.write.value)
        }
        try put(side, .bound, index, bound.id, nil, value)
    }

    func add(_ counter: BaselineCounter, _ side: BaselineLaw.Side) throws {
        let key = ["counter", counter.entity, "\(counter.id)", counter.property]
        for (writer, total) in counter.totals {
            guard let (index, type, rule) = layout.attribute(counter.property, of: counter.entity), rule == .counter,
                let amount = type.amount(from: total)
            else {
                try putDeferred(side, key, .null)
                if CounterTotals.number(total).map(CounterTotals.isZero) == true { continue }
                try putDeferred(side, key + ["\(writer)", "\(CounterTotals.kind(total))"], total)
                continue
            }
            try put(side, .total, index, counter.id, writer, amount)
        }
    }

    func addAmounts(of change: Change, _ side: BaselineLaw.Side, _ writer: UniqueID) throws {
        guard let (writes, isInsert) = change.operation.valueWrites else { return }
        let known = layout.entity(named: change.entity)
        guard let entity = known ?? layout.survivingRoot(ofEntity: change.entity).map({ layout.entities[$0] }),
            !(isInsert && known?.entity.isAbstract == true)
        else { return }
        for write in writes {
            guard let index = layout.column(of: write.name, in: entity),
                case .attribute(let type, let rule) = layout[index].kind, rule != .latest
            else { continue }
            let increment = type.amount(ofWrite: write.value, isInsert: isInsert)
            if rule == .counter, let increment {
                try put(side, .total, index, change.id, writer, increment)
            } else if rule.isBound, let value = type.scalarValue(from: write.value) {
                try put(side, .bound, index, change.id, nil, value)
            }
        }
    }

    /// Nil if the write has no register; a one-to-one relationship may write the register of the other object.
    private func register(
        _ write: PropertyWrite,
        of change: Change,
        _ entity: EntityLayout,
        _ side: BaselineLaw.Side
    ) -> (index: StoreModel.ColumnIndex, id: UniqueID, value: PropertyValue)? {
        guard let place = layout.propertyIndex(named: write.name, of: entity.entity) else { return nil }
        switch entity.places[place] {
        case .column(let column):
            let index = StoreModel.ColumnIndex(table: entity.table, column: column)
            guard layout[index].isRegister, layout[index].mergeRule == .latest else { return nil }
            return entity.entity.properties[place].value(from: write.value).map { (index, change.id, $0) }
        case .inverseColumn(_, let table, let column):
            guard side == .earlier, case .string(let text) = write.value, let owner = UniqueID(text) else { return nil }
            return (StoreModel.ColumnIndex(table: table, column: column), owner, .reference(change.id))
        case .inverse, .links, .none: return nil
        }
    }

    private func addPairs(
        of change: Change,
        _ entity: EntityLayout,
        _ side: BaselineLaw.Side,
        _ stamp: Stamp
    ) throws {
        guard let (name, ids, positions, isLink) = change.operation.pairs,
            positions.map({ $0.count == ids.count }) ?? true
        else { return try deferred(change, side, stamp) }
        func pairs(_ link: LinkLayout, ownsPairs: Bool) throws {
            for (number, id) in ids.enumerated() {
                var (source, target) = ownsPairs ? (change.id, id) : (id, change.id)
                if link.isSymmetric, target < source { (source, target) = (target, source) }
                let position = link.isOrdered ? positions?[number] ?? "" : ""
                let state = JSONValue.array([.boolean(isLink), .string(position)]).text
                let deletions = [
                    BaselineCells.key(.delete, layout.tables[link.source].root.name, source),
                    BaselineCells.key(.delete, layout.tables[link.target].root.name, target),
                ]
                let key = BaselineCells.key(.pair, link.name, source, "\(target)")
                try put(side, key, stamp, state, deletions)
            }
        }
        switch layout.propertyIndex(named: name, of: entity.entity).map({ entity.places[$0] }) {
        case .links(let link, let ownsPairs): try pairs(layout.links[link], ownsPairs: ownsPairs)
        case .inverse(let table, let column, let order):
            if isLink, let order { try pairs(layout.links[order], ownsPairs: true) }
            // A baseline contains the register of a linked object in a separate line, and contains no unlinks.
            guard side == .earlier || !isLink else { return }
            for id in ids {
                let owner = isLink ? PropertyValue.reference(change.id) : .null
                try put(side, .init(table: table, column: column), id, owner, stamp)
            }
        default: try deferred(change, side, stamp)
        }
    }

    // MARK: Writing

    private static func key(_ kind: Kind, _ name: String, _ id: UniqueID, _ more: String...) -> String {
        JSONValue.array(([kind.rawValue, name, id.description] + more).map(JSONValue.string)).text
    }

    private func put(
        _ side: BaselineLaw.Side,
        _ index: StoreModel.ColumnIndex,
        _ id: UniqueID,
        _ value: PropertyValue,
        _ stamp: Stamp
    ) throws {
        let root = layout.tables[index.table].root.name
        let key = BaselineCells.key(.value, root, id, layout[index].name)
        try put(side, key, stamp, value.canonicalBlob.json.text, [BaselineCells.key(.delete, root, id)])
    }

    private func put(
        _ side: BaselineLaw.Side,
        _ kind: Kind,
        _ index: StoreModel.ColumnIndex,
        _ id: UniqueID,
        _ writer: UniqueID?,
        _ amount: PropertyValue
    ) throws {
        if writer != nil { try put(side, kind, index, id, nil, .integer(0)) }
        let (root, name) = (layout.tables[index.table].root.name, layout[index].name)
        let key =
            writer.map { BaselineCells.key(kind, root, id, name, "\($0)") } ?? BaselineCells.key(kind, root, id, name)
        insert.bind(9, Int64(index.table) << 32 | Int64(index.column))
        insert.bind(10, amount.canonicalBlob.json.text)
        try put(side, key, (.none, 0), "", [])
        insert.clearBindings()
    }

    private func put(
        _ side: BaselineLaw.Side,
        _ key: String,
        _ stamp: Stamp,
        _ value: String,
        _ deletions: [String]
    ) throws {
        insert.bind(1, side.rawValue)
        insert.bind(2, key)
        insert.bind(3, Int64(bitPattern: stamp.version.clock.rawValue))
        insert.bind(4, stamp.version.writer.description)
        insert.bind(5, Int64(bitPattern: stamp.sequence))
        insert.bind(6, BaselineCells.shortened(value))
        insert.bind(7, deletions.first)
        insert.bind(8, deletions.dropFirst().first)
        try insert.run()
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > 500 else { return text }
        var hash = SHA256()
        hash.update(data: Array(text.utf8))
        return "\(text.prefix(100))… with the SHA-256 \(hash.finalize().hexadecimal)"
    }

    /// Only states are compared, because a segment may contain deferred writes that no longer matter.
    private func deferred(_ change: Change, _ side: BaselineLaw.Side, _ stamp: Stamp) throws {
        guard side == .own || side == .baseline else {
            if unresolved.count < BaselineCells.unresolvedLimit { unresolved.insert(stamp.version) }
            return
        }
        func element(_ kind: String, _ names: String..., value: JSONValue) throws {
            let version = "\(stamp.version.clock)/\(stamp.version.writer)"
            let parts = [kind, change.entity, "\(change.id)"] + names + [version, value.canonicalText]
            try putDeferred(side, parts, value, stamp)
        }
        switch change.operation {
        case .delete: try element("delete", value: .null)
        case .insert(let writes):
            if writes.count != 1 { try element("insert", value: .null) }
            for write in writes { try element("inserted", write.name, value: write.value) }
        case .update(let writes):
            for write in writes { try element("updated", write.name, value: write.value) }
        case .link(let name, let ids, let positions):
            for (number, other) in ids.enumerated() {
                let position = positions.flatMap { number < $0.count ? $0[number] : nil } ?? ""
                try element("link", name, "\(other)", value: .string(position))
            }
        case .unlink(let name, let ids):
            for other in ids { try element("unlink", name, "\(other)", value: .null) }
        }
    }

    private func putDeferred(
        _ side: BaselineLaw.Side,
        _ parts: [String],
        _ value: JSONValue,
        _ stamp: Stamp = (.none, 0)
    ) throws {
        guard side == .own || side == .baseline else { return }
        let key = JSONValue.array(([Kind.deferred.rawValue] + parts).map(JSONValue.string)).text
        try put(side, key, stamp, value.canonicalText, [])
    }
}

extension JSONValue {
    fileprivate var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}

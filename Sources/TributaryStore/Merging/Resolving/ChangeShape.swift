import TributaryChanges
import TributaryModel

/// Property names of similar changes, resolved to columns once; a class, so that iteration copies nothing.
final class ChangeShape {
    enum Target {
        case scalar(column: Int, type: AttributeType)
        case composite(column: Int, Attribute)
        case reference(column: Int)
        case counter(column: Int, type: AttributeType)
        case inverse(StoreModel.ColumnIndex)
        case formerInverse(entity: String, property: String)
        case unknown(reason: String)

        var isUnknown: Bool { if case .unknown = self { true } else { false } }

        var column: Int? {
            switch self {
            case .scalar(let column, _), .composite(let column, _), .reference(let column), .counter(let column, _):
                column
            case .inverse, .formerInverse, .unknown: nil
            }
        }

        func refers(from column: Int, _ write: PropertyWrite) -> Bool {
            guard case .reference(column) = self else { return false }
            return ValueConverter.reference(write.value) != nil
        }
    }

    let entity: Int
    let isInsert: Bool
    let names: [String]
    let targets: [Target]
    let exceptions: [UInt8]
    let coversAllColumns: Bool
    var historyKeys: [UInt32]?
    /// Whether all targets are registers of the row itself with the rule `latest` and outside one-to-one relationships.
    let isPlain: Bool

    /// Whether the bulk path takes such rows: all values are attributes without separately allocated values.
    let isPackable: Bool
    let directTargets: [(index: Int32, type: AttributeType)]
    let columns: [Int]
    /// Whether a present and a former name in the shape belong to the same register.
    let repeatsColumns: Bool

    init(_ names: [String], isInsert: Bool, entityIndex: Int, layout: StoreModel) {
        let entity = layout.entities[entityIndex]
        let table = layout.tables[entity.table]
        self.entity = entityIndex
        self.isInsert = isInsert
        self.names = names
        targets = names.map { ChangeShape.target($0, entity: entity, layout: layout) }
        let written = Set(targets.compactMap(\.column))
        repeatsColumns = written.count < targets.count { $0.column != nil }
        var isPlain = true
        for target in targets {
            switch target {
            case .scalar(let column, _), .composite(let column, _):
                isPlain = isPlain && table.columns[column].mergeRule.comparesVersions
            case .reference(let column): if table.columns[column].isOneToOne { isPlain = false }
            case .counter, .inverse, .formerInverse, .unknown: isPlain = false
            }
        }
        self.isPlain = isPlain && !repeatsColumns
        let direct = targets.compactMap { target in
            if case .scalar(let column, let type) = target {
                (ObjectTable.firstColumn + Int32(column), type)
            } else {
                nil
            }
        }
        directTargets = direct
        columns = direct.map { Int($0.0 - ObjectTable.firstColumn) }
        isPackable = self.isPlain && direct.count == targets.count && direct.allSatisfy { ChangeShape.isPackable($0.1) }
        var versions = RowVersions(base: 0)
        for column in table.columns.indices where entity.holds[column] && !written.contains(column) {
            if table.columns[column].mergeRule != .counter { versions.setRegister(column, to: nil, isHeld: true) }
        }
        exceptions = versions.encoded
        coversAllColumns = self.isPlain && written.count == table.columns.count
    }

    func matches(_ writes: [PropertyWrite], isInsert: Bool, entity: Int) -> Bool {
        guard self.entity == entity, self.isInsert == isInsert, names.count == writes.count else { return false }
        return names.withUnsafeBufferPointer { names in
            writes.withUnsafeBufferPointer { writes in
                for index in names.indices where !names[index].isIdentical(to: writes[index].name) { return false }
                return true
            }
        }
    }

    func knownProperties(_ layout: StoreModel) -> [String] {
        let entity = layout.entities[entity]
        return zip(names, targets).compactMap { name, target in
            guard !target.isUnknown else { return nil }
            let index = layout.propertyIndex(named: name, of: entity.entity)
            return index.map { entity.entity.properties[$0].name } ?? name
        }
    }

    private static func isPackable(_ type: AttributeType) -> Bool {
        switch type {
        case .string, .uri, .uuid, .boolean, .date, .double, .float, .integer16, .integer32, .integer64: true
        case .binary, .transformable, .decimal, .composite, .undefined: false
        }
    }

    func fits(_ run: RowRun, _ row: Int) -> Bool {
        for column in directTargets.indices {
            let cell = run.cell(row, column)
            let type = directTargets[column].type
            switch (cell.kind, type) {
            case (.null, _), (.text, .string), (.text, .uri), (.integer, .integer64), (.integer, .double),
                (.integer, .date), (.double, .double), (.double, .date), (.no, .boolean), (.yes, .boolean):
                continue
            default:
                guard type.scalarValue(from: run.value(of: cell)) != nil else { return false }
            }
        }
        return true
    }

    private static func target(_ name: String, entity: EntityLayout, layout: StoreModel) -> Target {
        guard let index = layout.propertyIndex(named: name, of: entity.entity) else {
            return former(name, of: entity.entity.name, layout)
                ?? .unknown(reason: "'\(entity.entity.name)' has no property '\(name)'")
        }
        switch (entity.places[index], entity.entity.properties[index]) {
        case (.column(let column), .attribute(let attribute)):
            let rule = layout.tables[entity.table].columns[column].mergeRule
            if rule == .counter { return .counter(column: column, type: attribute.type) }
            if attribute.type == .composite { return .composite(column: column, attribute) }
            return .scalar(column: column, type: attribute.type)
        case (.column(let column), .relationship): return .reference(column: column)
        case (.inverseColumn(_, let table, let column), _): return .inverse(.init(table: table, column: column))
        case (.inverse, _), (.links, _):
            return .unknown(reason: "'\(name)' is to-many: its objects are linked, not written")
        case (.none, _): return .unknown(reason: "'\(name)' is transient: it is not stored")
        }
    }

    /// The register on the other side of a to-one relationship that the entity no longer has.
    private static func former(_ name: String, of entity: String, _ layout: StoreModel) -> Target? {
        guard layout.formerProperty(named: name, of: entity)?.relationship?.isToMany == false else { return nil }
        return switch layout.formerStorage(ofProperty: name, of: entity) {
        case .register(let column): .inverse(column)
        case .formerRegister(let owner, let property): .formerInverse(entity: owner, property: property)
        case .pairs, .formerPairs, nil: nil
        }
    }
}

final class ChangeShapes {
    private struct Key: Hashable {
        var entity: Int
        var isInsert: Bool
        var names: [String]

        static func == (left: Key, right: Key) -> Bool {
            left.entity == right.entity && left.isInsert == right.isInsert
                && left.names.isIdentical(to: right.names)
        }
    }

    private let layout: StoreModel
    @exclusivity(unchecked) private var all: [ChangeShape] = []
    @exclusivity(unchecked) private var indexes: [Key: Int] = [:]
    @exclusivity(unchecked) private var last = 0

    init(_ layout: StoreModel) {
        self.layout = layout
    }

    subscript(index: Int) -> ChangeShape { all[index] }

    func index(of writes: [PropertyWrite], isInsert: Bool, entity: Int) -> Int {
        if last < all.count, all[last].matches(writes, isInsert: isInsert, entity: entity) { return last }
        return index(Key(entity: entity, isInsert: isInsert, names: writes.map(\.name)))
    }

    func index(of run: RowRun, entity: Int) -> Int {
        if last < all.count, all[last].entity == entity, all[last].isInsert == run.isInsert,
            all[last].names.isIdentical(to: run.names)
        {
            return last
        }
        return index(Key(entity: entity, isInsert: run.isInsert, names: run.names))
    }

    private func index(_ key: Key) -> Int {
        last = indexes[key] ?? all.count
        if last == all.count {
            all.append(ChangeShape(key.names, isInsert: key.isInsert, entityIndex: key.entity, layout: layout))
            indexes[key] = last
        }
        return last
    }
}

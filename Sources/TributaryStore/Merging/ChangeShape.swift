import TributaryChanges
import TributaryModel

/// What inserts or updates of one entity with the same properties have in common, so that names are resolved once.
///
/// A class, so that looking at one change after the other copies nothing.
final class ChangeShape {
    /// What a written name stands for.
    enum Target {
        case scalar(place: Int, type: AttributeType)
        case composite(place: Int, Attribute)
        case reference(place: Int)
        case counter(place: Int, type: AttributeType)
        /// The other side of a one-to-one: the register of another object.
        case mirror(table: Int, place: Int)
        /// The same of a relationship that the model does not have any more.
        case formerMirror(entity: String, property: String)
        case unknown(reason: String)

        var isUnknown: Bool { if case .unknown = self { true } else { false } }
    }

    let entity: Int
    let isInsert: Bool
    let names: [String]
    let targets: [Target]
    /// Registers of the entity that inserts of this shape leave without a write.
    let unwritten: [Int]
    /// `_exceptions` of a row inserted by a change of this shape.
    let exceptions: [UInt8]?
    /// The history's keys, once they are known.
    var historyKeys: [UInt32]?
    /// Whether all targets are registers of the row itself that take the latest write, claims excluded.
    let isPlain: Bool

    /// Whether a change of this shape can write a one-to-one relationship, or what is deferred.
    ///
    /// The order of such a write and of those to other objects is not that in which the changes are applied.
    let needsIndex: Bool

    /// Whether a run of this shape can wait: attributes only, of types whose values need no memory of their own.
    let isPackable: Bool
    /// Of such a shape, the parameters of an insert that its values are bound to.
    let directTargets: [(index: Int32, type: AttributeType)]

    init(_ names: [String], isInsert: Bool, entityIndex: Int, layout: StoreModel) {
        let entity = layout.entities[entityIndex]
        let table = layout.tables[entity.table]
        self.entity = entityIndex
        self.isInsert = isInsert
        self.names = names
        targets = names.map { ChangeShape.target($0, entity: entity, layout: layout) }
        var written: Set<Int> = []
        var isPlain = true
        var needsIndex = false
        for target in targets {
            switch target {
            case .scalar(let place, _), .composite(let place, _):
                written.insert(place)
                isPlain = isPlain && table.columns[place].mergeRule == .latest
            case .reference(let place):
                written.insert(place)
                if case .reference(_, true, _) = table.columns[place].kind { (isPlain, needsIndex) = (false, true) }
            case .counter: isPlain = false
            case .mirror, .formerMirror, .unknown: (isPlain, needsIndex) = (false, true)
            }
        }
        self.needsIndex = needsIndex
        self.isPlain = isPlain
        let direct = targets.compactMap { target in
            if case .scalar(let place, let type) = target {
                (TableStatements.firstColumn + Int32(place), type)
            } else {
                nil
            }
        }
        directTargets = direct
        isPackable = isPlain && direct.count == targets.count && direct.allSatisfy { ChangeShape.isPackable($0.1) }
        unwritten = table.columns.indices.filter { entity.holds[$0] && !written.contains($0) }
        var versions = RowVersions(base: 0)
        for place in unwritten where table.columns[place].mergeRule != .counter {
            versions.setRegister(place, to: nil, isHeld: true)
        }
        exceptions = versions.encoded
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

    private static func isPackable(_ type: AttributeType) -> Bool {
        switch type {
        case .string, .uri, .uuid, .boolean, .date, .double, .float, .integer16, .integer32, .integer64: true
        case .binary, .transformable, .decimal, .composite, .undefined: false
        }
    }

    /// Whether the attributes can hold the values of a row.
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
        guard let slot = layout.slot(named: name, of: entity.entity) else {
            return former(name, of: entity.entity.name, layout)
                ?? .unknown(reason: "'\(entity.entity.name)' has no property '\(name)'")
        }
        switch (entity.places[slot], entity.entity.properties[slot]) {
        case (.column(let place), .attribute(let attribute)):
            let rule = layout.tables[entity.table].columns[place].mergeRule
            if rule == .counter { return .counter(place: place, type: attribute.type) }
            if attribute.type == .composite { return .composite(place: place, attribute) }
            return .scalar(place: place, type: attribute.type)
        case (.column(let place), .relationship): return .reference(place: place)
        case (.mirror(_, let table, let column), _): return .mirror(table: table, place: column)
        case (.inverse, _), (.links, _):
            return .unknown(reason: "'\(name)' is to-many: its objects are linked, not written")
        case (.none, _): return .unknown(reason: "'\(name)' is transient: it is not stored")
        }
    }

    /// A to-one relationship of an older version that the other side kept.
    private static func former(_ name: String, of entity: String, _ layout: StoreModel) -> Target? {
        guard layout.formerProperty(named: name, of: entity)?.relationship?.isToMany == false else { return nil }
        return switch layout.formerKeeper(ofProperty: name, of: entity) {
        case .register(let table, let place): .mirror(table: table, place: place)
        case .formerRegister(let owner, let property): .formerMirror(entity: owner, property: property)
        case .pairs, .formerPairs, nil: nil
        }
    }
}

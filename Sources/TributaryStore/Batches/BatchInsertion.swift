package import TributaryChanges
import TributaryModel

final class BatchInsertion {
    private let properties: BatchProperties
    private let keys: BatchUniqueness
    private let identity: [Int]
    private let terms: BatchTerms
    private let reader: Reader
    private let defaults: [PropertyValue]
    private let newest: Int64
    private let slices: BatchSlices
    private var rows: [UniqueID: Int] = [:]

    init(
        properties: BatchProperties,
        keys: BatchUniqueness,
        identity: [Int],
        terms: BatchTerms,
        slices: BatchSlices,
        reader: Reader
    ) throws {
        newest = try reader.history.newestTransaction()
        self.properties = properties
        self.keys = keys
        self.identity = identity
        self.terms = terms
        self.slices = slices
        self.reader = reader
        defaults = properties.entity.entity.properties.map { $0.attribute?.defaultValue ?? .null }
    }

    func add(_ given: [String: PropertyValue], row: Int) throws {
        var values = defaults
        var written: [Int] = []
        var id: UniqueID?
        for (name, value) in given {
            if name == BatchWriter.batchID, case .uuid(let own) = value {
                id = own
                continue
            }
            let propertyIndex = try properties.propertyIndex(name, row: row)
            values[propertyIndex] = try properties.check(value, propertyIndex: propertyIndex, row: row)
            written.append(propertyIndex)
        }
        try checkMandatory(values, row: row)
        var derived = try id == nil ? derivedID(values, row: row) : nil
        if let known = derived, try isTaken(known, by: values) { derived = nil }
        if try resolveCollision(of: values, derived, written.sorted(), row: row) { return }
        let uniqueID = id ?? derived ?? reader.context.configuration.environment.newID()
        if rows[uniqueID] != nil { throw BatchError.duplicateID(row: row, objectID(uniqueID)) }
        let writes = written.sorted().compactMap { propertyIndex in
            properties.entity.entity.properties[propertyIndex].write(
                from: defaults[propertyIndex],
                to: values[propertyIndex]
            )
        }
        rows[uniqueID] = row
        keys.addPending(values)
        slices.count(objectID(uniqueID))
        try slices.append(Change(entity: properties.name, id: uniqueID, operation: .insert(writes)))
        if slices.isEmpty { removePending() }
    }

    private func derivedID(_ values: [PropertyValue], row: Int) throws -> UniqueID? {
        guard !identity.isEmpty else { return nil }
        let known = properties.entity.entity.properties
        if let wrong = identity.first(where: { !values[$0].isKeyPart }) {
            throw BatchError.wrongType(
                row: row,
                entity: properties.name,
                property: known[wrong].name,
                expected: PropertyValue.keyParts,
                found: values[wrong]
            )
        }
        let key = Dictionary(identity.map { (known[$0].name, values[$0]) }) { first, _ in first }
        return UniqueID(entity: properties.name, key: key)
    }

    private func flush() throws {
        try slices.flush()
        removePending()
    }

    private func removePending() {
        rows.removeAll(keepingCapacity: true)
        keys.removePending()
    }

    func duplicate(_ id: ManagedObjectID) -> BatchError { .duplicateID(row: rows[id.uniqueID] ?? 0, id) }

    private func checkMandatory(_ values: [PropertyValue], row: Int) throws {
        for (propertyIndex, property) in properties.entity.entity.properties.enumerated()
        where values[propertyIndex].isNull {
            let isMissing: Bool
            switch property {
            case .attribute(let attribute):
                isMissing = attribute.isStored && !attribute.isOptional && attribute.derivationExpression == nil
            case .relationship(let relationship, _): isMissing = relationship.needsObject
            }
            if isMissing { throw BatchError.missing(row: row, entity: properties.name, property: property.name) }
        }
    }

    /// Whether a live object has the identifier, but is hidden or has another key now.
    private func isTaken(_ id: UniqueID, by values: [PropertyValue]) throws -> Bool {
        let root = properties.entity.entity.root
        guard rows[id] == nil, try reader.liveRow(id, rootEntity: root) != nil else { return false }
        guard let row = try reader.row(id, rootEntity: root) else { return true }
        return identity.contains { propertyIndex in
            let name = properties.entity.entity.properties[propertyIndex].name
            return row.entity.propertyIndex(named: name).map { row.values[$0] != values[propertyIndex] } ?? true
        }
    }

    private func collision(of values: [PropertyValue], _ derived: UniqueID?) throws -> BatchUniqueness.Collision {
        let found = try keys.collision(of: values)
        guard case .none = found, let derived else { return found }
        if rows[derived] != nil { return .pending }
        let names = identity.map { properties.entity.entity.properties[$0].name }
        let other = try reader.row(derived, rootEntity: properties.entity.entity.root)
        return other.map { .stored($0, properties: names) } ?? .none
    }

    private func resolveCollision(
        of values: [PropertyValue],
        _ derived: UniqueID?,
        _ written: [Int],
        row: Int
    ) throws -> Bool {
        guard !keys.isEmpty || derived != nil else { return false }
        var collision = try collision(of: values, derived)
        if case .pending = collision {
            try flush()
            collision = try self.collision(of: values, derived)
        }
        guard case .stored(let other, let names) = collision else { return false }
        switch terms.collision {
        case .refuse: throw BatchError.constraint(row: row, properties: names, existing: other.id)
        case .skip: return true
        case .replace where other.revision <= newest:
            try flush()
            try delete(other, taking: names, row: row)
            try flush()
            // Another object may have another key of the row.
            return try resolveCollision(of: values, derived, written, row: row)
        case .replace, .update:
            // An object of an earlier row takes all values of this row, because a deletion would follow its insert.
            let written = terms.collision == .replace ? Array(values.indices) : written
            // Changes that are not applied yet may concern this object.
            try flush()
            var writes: [PropertyWrite] = []
            for propertyIndex in written {
                guard
                    let otherIndex = other.entity.propertyIndex(
                        named: properties.entity.entity.properties[propertyIndex].name
                    ),
                    let write = properties.updateWrite(
                        from: other.values[otherIndex],
                        to: values[propertyIndex],
                        propertyIndex: propertyIndex
                    )
                else { continue }
                writes.append(write)
            }
            slices.count(other.id)
            guard !writes.isEmpty else { return true }
            try slices.append(Change(entity: other.entity.name, id: other.id.uniqueID, operation: .update(writes)))
            try flush()
            return true
        }
    }

    private func delete(_ other: Row, taking names: [String], row: Int) throws {
        let deletion = Change(entity: other.entity.name, id: other.uniqueID, operation: .delete)
        var state = PlannedState([deletion], over: reader, hasBounds: false)
        let effects = try state.followDeleteRules()
        if let denial = effects.denials.first, let holder = denial.others.first {
            throw BatchError.denied(denial.id, relationship: denial.relationship.name, by: holder)
        }
        try slices.append(deletion)
        for id in effects.deleted {
            // A deletion of an object of an earlier row would come after its insert.
            guard let found = try reader.row(id.uniqueID, rootEntity: id.rootEntity), found.revision <= newest else {
                throw BatchError.constraint(row: row, properties: names, existing: other.id)
            }
            try slices.append(Change(entity: id.entity, id: id.uniqueID, operation: .delete))
        }
        for (id, propertyIndex, target) in effects.cleared {
            let entity = properties.layout.entity(named: id.entity)?.entity
            guard let relationship = entity?.properties[propertyIndex].relationship else { continue }
            guard relationship.isOptional else {
                throw BatchError.denied(target, relationship: relationship.inverse ?? "", by: id)
            }
            let write = PropertyWrite(name: relationship.name, value: .null)
            try slices.append(Change(entity: id.entity, id: id.uniqueID, operation: .update([write])))
        }
    }

    private func objectID(_ id: UniqueID) -> ManagedObjectID {
        properties.layout.objectID(id, of: properties.entity)
    }
}

extension BatchWriter {
    /// The column with the row's own ID, which must be a `.uuid`.
    package static let batchID = "_id"

    package func insert(
        into entity: String,
        identity: [String] = [],
        terms: BatchTerms,
        _ next: (inout [String: PropertyValue]) throws -> Bool
    ) throws -> BatchWriteResult {
        let properties = try BatchProperties(entity, layout: reader.context.layout, allowsAbstract: false)
        let keys = BatchUniqueness(properties, try transaction.engine().tables.keys, reader: reader)
        let identity = try identity.map { try properties.propertyIndex($0, row: nil) }
        return try commit(terms) { slices in
            let insertion = try BatchInsertion(
                properties: properties,
                keys: keys,
                identity: identity,
                terms: terms,
                slices: slices,
                reader: reader
            )
            do {
                var row = 0
                while true {
                    var values: [String: PropertyValue] = [:]
                    if try next(&values) { break }
                    try insertion.add(values, row: row)
                    row += 1
                }
                try slices.flush()
            } catch StoreError.duplicateID(let id) {
                throw insertion.duplicate(id)
            }
        } verify: { number in
            try checkReferences(properties.entity.places.indices, properties, revision: number)
        }
    }
}

final class BatchUniqueness {
    private let keys: KeyTable
    private let reader: Reader
    private let table: TableLayout
    private let constraints: [(constraint: UniqueConstraint, propertyIndexes: [Int])]
    private var pending: Set<StoredKey> = []

    var isEmpty: Bool { constraints.isEmpty }

    init(_ properties: BatchProperties, _ keys: KeyTable, reader: Reader) {
        (self.keys, self.reader, table) = (keys, reader, properties.table)
        let entity = properties.entity.entity
        let index = properties.layout.entityIndex(named: entity.name)
        let all = properties.layout.uniqueConstraints[table.index].filter { index.map($0.entities.contains) == true }
        // In the order of the model, because a row may collide with several objects.
        constraints = entity.uniquenessConstraints.compactMap { names in
            guard let constraint = all.first(where: { $0.names == names }) else { return nil }
            return (constraint, names.compactMap { entity.propertyIndex(named: $0) })
        }
    }

    enum Collision {
        case none
        case stored(Row, properties: [String])
        case pending
    }

    func collision(of values: [PropertyValue]) throws -> Collision {
        for (constraint, key) in self.keys(of: values) {
            if pending.contains(key) { return .pending }
            for id in try keys.visibleHolders(of: key, table.index) {
                guard let row = try reader.row(id, rootEntity: table.root.name) else { continue }
                return .stored(row, properties: constraint.names)
            }
        }
        return .none
    }

    func addPending(_ values: [PropertyValue]) { pending.formUnion(keys(of: values).map(\.key)) }

    func removePending() { pending.removeAll(keepingCapacity: true) }

    private func keys(of values: [PropertyValue]) -> [(constraint: UniqueConstraint, key: StoredKey)] {
        constraints.compactMap { constraint, propertyIndexes in
            StoredKey(constraint.index, propertyIndexes.map { values[$0] }).map { (constraint, $0) }
        }
    }
}

import GRDB
import TributaryChanges
import TributaryModel

/// Makes effects explicit that only this store knows, so that peers need not read their own state.
///
/// These are owners that lose a one-to-one target, changes of counters by assignments, and effects on shadows.
struct LocalChanges {
    let reader: Reader

    func explicit(_ changes: [Change]) throws -> [Change] {
        var result: [Change] = []
        result.reserveCapacity(changes.count)
        for change in try withShadows(whole(changes)) {
            guard case .update(let writes) = change.operation,
                let entity = reader.context.layout.entity(named: change.entity)
            else {
                result.append(change)
                continue
            }
            var kept: [PropertyWrite] = []
            var released: [Change] = []
            for write in writes {
                guard let propertyIndex = entity.entity.propertyIndex(named: write.name) else {
                    kept.append(write)
                    continue
                }
                switch entity.places[propertyIndex] {
                case .inverseColumn(let inverse, let table, let column) where write.value == .null:
                    let register = StoreModel.ColumnIndex(table: table, column: column)
                    if let other = try holder(of: change.id, entity: entity, inverse: inverse) {
                        released.append(release(other, register))
                    }
                case .column(let columnIndex) where isCounter(columnIndex, entity):
                    kept.append(
                        PropertyWrite(name: write.name, value: try increment(write, change, entity, columnIndex))
                    )
                default: kept.append(write)
                }
            }
            if !kept.isEmpty || released.isEmpty {
                result.append(Change(entity: change.entity, id: change.id, operation: .update(kept)))
            }
            result += released
        }
        result = logged(result)
        try checkLines(result)
        return result
    }

    private func isCounter(_ columnIndex: Int, _ entity: EntityLayout) -> Bool {
        reader.context.layout.tables[entity.table].columns[columnIndex].mergeRule == .counter
    }

    private func holder(of id: UniqueID, entity: EntityLayout, inverse: Int) throws -> UniqueID? {
        if case .reference(let other) = try value(inverse, of: id, entity) { return other }
        return nil
    }

    private func release(_ other: UniqueID, _ register: StoreModel.ColumnIndex) -> Change {
        let layout = reader.context.layout
        let name = layout[register].property
        // Any entity of the table with the register is valid, because updates apply to the root entity.
        let owner = layout.entities.first { entity in
            entity.table == register.table && entity.places.contains(.column(register.column))
        }
        return Change(
            entity: owner?.entity.name ?? layout.tables[register.table].root.name,
            id: other,
            operation: .update([PropertyWrite(name: name, value: .null)])
        )
    }

    private func increment(_ write: PropertyWrite, _ change: Change, _ entity: EntityLayout, _ columnIndex: Int) throws
        -> JSONValue
    {
        let new: PropertyValue
        switch write.value {
        case .integer(let value): new = .integer(value)
        case .double(let value): new = .double(value)
        default: return write.value
        }
        let amount = CounterTotals.amount(from: try value(columnIndex, of: change.id, entity), to: new)
        return JSONValue(increment: amount.json)
    }

    private func value(_ columnIndex: Int, of id: UniqueID, _ entity: EntityLayout) throws -> PropertyValue {
        let table = reader.context.layout.tables[entity.table]
        let column = table.columns[columnIndex]
        return try BoundStatement(
            reader.database,
            "SELECT \(column.quotedName) FROM \(table.quotedName) WHERE _id = \(value: id)"
        ).first { column.value(in: $0, at: 0) } ?? .null
    }
}

extension LocalChanges {
    /// The log requires deletions first, and no change that a later deletion supersedes.
    ///
    /// Increments, minima and maxima of objects that existed before stay, because no deletion supersedes them.
    func logged(_ changes: [Change]) -> [Change] {
        let start = changes.firstIndex { $0.operation != .delete } ?? changes.endIndex
        var lastDeletion: [ChangeSlice.Object: Int] = [:]
        for index in start..<changes.endIndex where changes[index].operation == .delete {
            if let object = object(of: changes[index]) { lastDeletion[object] = index }
        }
        guard !lastDeletion.isEmpty else { return changes }
        var deletions: [Change] = []
        var others: [Change] = []
        var deleted: Set<ChangeSlice.Object> = []
        var inserted: Set<ChangeSlice.Object> = []
        for (index, change) in changes.enumerated() {
            let object = object(of: change)
            func isDeleted(_ other: ChangeSlice.Object?) -> Bool { other.flatMap { lastDeletion[$0] } ?? -1 > index }
            if change.operation == .delete {
                if object.map({ deleted.insert($0).inserted }) ?? true { deletions.append(change) }
                object.map { _ = inserted.remove($0) }
                continue
            }
            if case .insert = change.operation { object.map { _ = inserted.insert($0) } }
            let isNew = object.map(inserted.contains) ?? false
            if let rest = rest(of: change, isNew: isNew, isDeleted: isDeleted) { others.append(rest) }
        }
        return deletions + others
    }

    func objects(in change: Change) -> [ChangeSlice.Object] {
        var found: [ChangeSlice.Object] = []
        _ = rest(of: change, isNew: false) { object in
            object.map { found.append($0) }
            return false
        }
        return found
    }

    /// The table is part of the key, because objects of different tables may have the same ID.
    func object(of change: Change) -> ChangeSlice.Object? {
        reader.context.layout.entity(named: change.entity).map { ChangeSlice.Object(table: $0.table, id: change.id) }
    }

    /// The part that no deletion supersedes.
    ///
    /// A register that is written from the inverse side belongs to its own object.
    private func rest(of change: Change, isNew: Bool, isDeleted: (ChangeSlice.Object?) -> Bool) -> Change? {
        let layout = reader.context.layout
        guard let entity = layout.entity(named: change.entity) else { return change }
        let isGone = isDeleted(object(of: change))
        func place(_ name: String) -> EntityLayout.Place? {
            entity.entity.propertyIndex(named: name).map { entity.places[$0] }
        }
        func isKept(_ write: PropertyWrite) -> Bool {
            switch place(write.name) {
            case .column(let column):
                let rule = layout.tables[entity.table].columns[column].mergeRule
                return !isGone || !isNew && !rule.comparesVersions
            case .inverseColumn(_, let table, _):
                guard case .string(let text) = write.value, let id = UniqueID(text) else { return !isGone }
                return !isDeleted(ChangeSlice.Object(table: table, id: id))
            case .inverse, .links, .none?, nil: return !isGone
            }
        }
        func kept(_ name: String, _ ids: [UniqueID]) -> [Int] {
            let place = place(name)
            if isGone { guard case .inverse = place else { return [] } }
            return ids.indices.filter { !isDeleted(end(ids[$0], of: place)) }
        }
        var rest = change
        var isEmpty = false
        switch change.operation {
        case .delete: return change
        case .insert(let writes), .update(let writes):
            let writes = writes.filter(isKept)
            if case .insert = change.operation, !isGone {
                rest.operation = .insert(writes)
            } else {
                isEmpty = writes.isEmpty
                rest.operation = .update(writes)
            }
        case .link(let name, let ids, let positions):
            let kept = kept(name, ids)
            isEmpty = kept.isEmpty
            let places = positions.map { all in kept.map { all[$0] } }
            rest.operation = .link(to: name, ids: kept.map { ids[$0] }, positions: places)
        case .unlink(let name, let ids):
            let kept = kept(name, ids).map { ids[$0] }
            isEmpty = kept.isEmpty
            rest.operation = .unlink(to: name, ids: kept)
        }
        return isEmpty && (isGone || rest != change) ? nil : rest
    }

    private func end(_ id: UniqueID, of place: EntityLayout.Place?) -> ChangeSlice.Object? {
        switch place {
        case .links(let index, let ownsPairs):
            let link = reader.context.layout.links[index]
            return ChangeSlice.Object(table: ownsPairs ? link.target : link.source, id: id)
        case .inverse(let table, _, _): return ChangeSlice.Object(table: table, id: id)
        case .column, .inverseColumn, .none?, nil: return nil
        }
    }
}

extension LocalChanges {
    /// Includes shadows, because a shadow would otherwise replace its representative (merge statement 15).
    func withShadows(_ changes: [Change]) throws -> [Change] {
        let shadows = try ShadowTable(reader.database, layout: reader.context.layout)
        guard shadows.hasRows else { return changes }
        let deleted = Set(changes.filter { $0.operation == .delete }.compactMap { object(of: $0) })
        var result: [Change] = []
        result.reserveCapacity(changes.count)
        for change in changes {
            result.append(change)
            guard let entity = reader.context.layout.entity(named: change.entity) else { continue }
            switch change.operation {
            case .delete:
                for id in try shadows.shadows(of: change.id, entity.table)
                where !deleted.contains(ChangeSlice.Object(table: entity.table, id: id)) {
                    let name = try self.entity(ofShadow: id, entity.table) ?? change.entity
                    result.append(Change(entity: name, id: id, operation: .delete))
                }
            case .unlink(let name, let ids): result += try unlinks(change, name, ids, entity, shadows)
            case .insert, .update, .link: break
            }
        }
        return result
    }

    private func unlinks(
        _ change: Change,
        _ name: String,
        _ ids: [UniqueID],
        _ entity: EntityLayout,
        _ shadows: ShadowTable
    ) throws -> [Change] {
        guard let index = entity.entity.propertyIndex(named: name),
            case .links(let linkIndex, let ownsPairs) = entity.places[index]
        else { return [] }
        let link = reader.context.layout.links[linkIndex]
        let otherTable = ownsPairs ? link.target : link.source
        let table = try LinkTables(reader.database)
        var result: [Change] = []
        for own in try [change.id] + shadows.shadows(of: change.id, entity.table) {
            var others: [UniqueID] = []
            for id in ids {
                for other in try [id] + shadows.shadows(of: id, otherTable) where own != change.id || other != id {
                    var (source, target) = ownsPairs ? (own, other) : (other, own)
                    if link.isSymmetric, target < source { swap(&source, &target) }
                    guard let pair = try table.pair(link, source, target), !pair.state.isRemoved else { continue }
                    others.append(other)
                }
            }
            if !others.isEmpty {
                result.append(Change(entity: change.entity, id: own, operation: .unlink(to: name, ids: others)))
            }
        }
        return result
    }

    private func entity(ofShadow id: UniqueID, _ table: Int) throws -> String? {
        let partial = try PartialRowTable(reader.database, layout: reader.context.layout).row(table, id)
        return partial?.shadow.flatMap { reader.context.layout.entity(code: $0.entity)?.entity.name }
    }
}

extension LocalChanges {
    /// Replaces file names of large values by their bytes, because the names mean nothing in a log.
    ///
    /// Throws `blob` for unreadable bytes: other writers would wait for them without end.
    func whole(_ changes: [Change]) throws -> [Change] {
        func hasObject(_ change: Change) -> Bool {
            change.operation.valueWrites?.writes.contains { $0.value.isObject } == true
        }
        guard changes.contains(where: hasObject) else { return changes }
        return try changes.map { change in try change.withValues { try $0.map { try whole($0, of: change) } } }
    }

    func derived(_ changes: [Change]) throws -> [Change] {
        let result = try whole(changes)
        try checkLines(result)
        return result
    }

    private func whole(_ write: PropertyWrite, of change: Change) throws -> PropertyWrite {
        guard write.value.isObject,
            let type = reader.context.layout.entity(named: change.entity)?.entity.property(named: write.name)?
                .attribute?
                .type,
            type == .binary || type == .transformable, let reference = type.scalarValue(from: write.value)
        else { return write }
        do {
            return PropertyWrite(name: write.name, value: try reader.context.whole(reference).json)
        } catch {
            throw error.naming("'\(write.name)' of \(change.entity) \(change.id)")
        }
    }
}

extension StoreError {
    fileprivate func naming(_ property: String) -> StoreError {
        guard case .blob(let path, let reason) = self else { return self }
        return .blob(path: path, reason: "\(reason); it has \(property)")
    }
}

extension JSONValue {
    fileprivate var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

extension LocalChanges {
    /// Readers of the log refuse longer lines.
    private static let lineLimit = 16 << 20
    /// Bytes of a line per byte of approximate size: JSON takes six for a control character, names take more.
    private static let greatestGrowth = 8

    /// A longer line would stop other writers.
    func checkLines(_ changes: [Change]) throws {
        for (index, change) in changes.enumerated() {
            guard change.textSize > LocalChanges.lineLimit / LocalChanges.greatestGrowth else { continue }
            let count = change.line.count
            guard count > LocalChanges.lineLimit else { continue }
            throw StoreError.invalidChange(
                index: index,
                reason:
                    "\(change.entity) \(change.id) takes \(count) bytes in the log, where a change has at most "
                    + "\(LocalChanges.lineLimit): about 12 MiB of binaries"
            )
        }
    }
}

extension Change {
    package var textSize: Int {
        switch operation {
        case .insert(let writes), .update(let writes): writes.reduce(0) { $0 + $1.value.textSize }
        case .delete: 0
        case .link(_, let ids, let positions):
            ids.count * UniqueID.lineSize + (positions ?? []).reduce(0) { $0 + $1.utf8.count }
        case .unlink(_, let ids): ids.count * UniqueID.lineSize
        }
    }
}

extension UniqueID {
    fileprivate static let lineSize = 39
}

extension JSONValue {
    fileprivate var textSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .object(let members): members.reduce(0) { $0 + $1.key.utf8.count + $1.value.textSize }
        case .array(let values): values.reduce(0) { $0 + $1.textSize }
        case .number(let text): text.utf8.count
        case .null, .boolean, .integer, .double, .unrepresentable: 0
        }
    }
}

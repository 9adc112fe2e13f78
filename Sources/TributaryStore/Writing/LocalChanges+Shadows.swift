import TributaryChanges
import TributaryModel

extension LocalChanges {
    /// Adds what deletions and unlinks of objects that represent shadows do to the shadows (merge statement 15).
    ///
    /// A deleted object would otherwise come back in the shape of its shadow, and an unlinked one would stay linked.
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

    /// The unlinks of the pairs that are shown as those of a change.
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

import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// An object of the world for predicates in memory; its relationships come from `Reader.related`.
struct ReadingSubject: PredicateSubject {
    let row: Row
    let reader: Reader
    let cache: ReadingCache

    var predicateID: UniqueID { row.id.uniqueID }

    var predicateEntity: String { row.entity.name }

    func predicateValue(propertyIndex: Int) -> PropertyValue { row.values[propertyIndex] }

    func predicateTarget(propertyIndex: Int) -> ReadingSubject? {
        cache.targets(row.id, propertyIndex) {
            guard case .reference(let id) = row.values[propertyIndex],
                case .relationship(let relationship, _) = row.entity.properties[propertyIndex],
                let root = reader.context.model.entity(named: relationship.destination)?.root,
                let target = try? reader.row(id, rootEntity: root)
            else { return [] }
            return [ReadingSubject(row: target, reader: reader, cache: cache)]
        }.first
    }

    func predicateTargets(propertyIndex: Int) -> [ReadingSubject] {
        cache.targets(row.id, propertyIndex) {
            let ids = (try? reader.related(to: predicateID, entity: row.entity, propertyIndex: propertyIndex)) ?? []
            return ids.compactMap { id in
                (try? reader.row(id.uniqueID, rootEntity: id.rootEntity)).flatMap { $0 }
                    .map { ReadingSubject(row: $0, reader: reader, cache: cache) }
            }
        }
    }
}

/// The targets of the subjects of a world, read once, because the world does not change.
final class ReadingCache {
    private struct Key: Hashable {
        var id: ManagedObjectID
        var propertyIndex: Int
    }

    private var targets: [Key: [ReadingSubject]] = [:]

    func targets(_ id: ManagedObjectID, _ propertyIndex: Int, _ read: () -> [ReadingSubject]) -> [ReadingSubject] {
        let key = Key(id: id, propertyIndex: propertyIndex)
        if let known = targets[key] { return known }
        let found = read()
        targets[key] = found
        return found
    }
}

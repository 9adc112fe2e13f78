import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// An object of the world for predicates in memory; its relationships come from `Reader.related`.
struct ReadingSubject: PredicateSubject {
    let row: Row
    let reader: Reader
    let cache: ReadingCache

    init(row: Row, reader: Reader, cache: ReadingCache) {
        self.row = row
        self.reader = reader
        self.cache = cache
    }

    var predicateID: UniqueID { row.id.uniqueID }

    var predicateEntity: String { row.entity.name }

    func predicateValue(slot: Int) -> PropertyValue { row.values[slot] }

    func predicateTarget(slot: Int) -> ReadingSubject? {
        cache.targets(row.id, slot) {
            guard case .reference(let id) = row.values[slot],
                case .relationship(let relationship, _) = row.entity.properties[slot],
                let root = reader.context.model.entity(named: relationship.destination)?.root,
                let target = try? reader.row(id, rootEntity: root)
            else { return [] }
            return [ReadingSubject(row: target, reader: reader, cache: cache)]
        }.first
    }

    func predicateTargets(slot: Int) -> [ReadingSubject] {
        cache.targets(row.id, slot) {
            let ids = (try? reader.related(to: predicateID, entity: row.entity, slot: slot)) ?? []
            return ids.compactMap { id in
                (try? reader.row(id.uniqueID, rootEntity: id.rootEntity)).flatMap { $0 }
                    .map { ReadingSubject(row: $0, reader: reader, cache: cache) }
            }
        }
    }
}

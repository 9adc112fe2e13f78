import TributaryChanges
import TributaryModel

extension Oracle {
    private struct UniqueKey: Hashable {
        var owner: String
        var names: [String]
        var values: [PropertyValue]
    }

    /// For each shadow, the object that represents it; the pure rule decides over all live objects of a root entity.
    func decideUniqueness() -> [Key: UniqueID] {
        var result: [Key: UniqueID] = [:]
        for root in Set(objects.keys.map(\.root)) {
            var holders: [UniqueKeys<UniqueKey>.Holder] = []
            for (key, object) in objects where key.root == root && object.isLive {
                holders.append(.init(id: key.id, inserted: object.inserted, keys: keys(of: object)))
            }
            for (id, shown) in UniqueKeys(of: holders).representatives { result[Key(root: root, id: id)] = shown }
        }
        return result
    }

    private func keys(of object: Object) -> [UniqueKey] {
        guard let entity = model.entity(named: object.entity) else { return [] }
        return entity.uniquenessConstraints.compactMap { names in
            let values = names.map { name in
                object.registers[name]?.value ?? entity.property(named: name)?.attribute?.defaultValue ?? .null
            }
            guard !values.contains(.null) else { return nil }
            let lineage = [entity] + entity.ancestors.compactMap { model.entity(named: $0) }
            let owner = lineage.filter { $0.uniquenessConstraints.contains(names) }.min {
                $0.ancestors.count < $1.ancestors.count
            }
            return UniqueKey(owner: owner?.name ?? entity.name, names: names, values: values)
        }
    }

    func isVisible(_ key: Key) -> Bool { objects[key]?.isLive == true && representatives[key] == nil }

    /// The object that a reference to another one shows; nil while that one is not live.
    func shown(_ key: Key) -> UniqueID? {
        guard objects[key]?.isLive == true else { return nil }
        return representatives[key] ?? key.id
    }

    /// The pairs of a relationship as they are shown: a pair of its own, or the least position of those with shadows.
    func shownPairs(of table: String, isSymmetric: Bool) -> [Pair: String] {
        var result: [Pair: String] = [:]
        for (pair, position) in pairs where pair.table == table {
            guard let source = shown(pair.source), let target = shown(pair.target) else { continue }
            var ends = (Key(root: pair.source.root, id: source), Key(root: pair.target.root, id: target))
            if isSymmetric, ends.1.id < ends.0.id { swap(&ends.0, &ends.1) }
            let shown = Pair(table: table, source: ends.0, target: ends.1)
            if shown == pair {
                result[shown] = position
            } else if pairs[shown] == nil {
                let known = result[shown]
                let isLess = known.map { position.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
                if isLess { result[shown] = position }
            }
        }
        return result
    }
}

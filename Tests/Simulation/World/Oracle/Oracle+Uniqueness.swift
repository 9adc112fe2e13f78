import TributaryChanges
import TributaryModel

extension Oracle {
    private struct UniqueKey: Hashable {
        var owner: String
        var names: [String]
        var values: [PropertyValue]
    }

    /// For each shadow, the object that represents it.
    ///
    /// In the order of their inserts, an object is visible unless it shares a key with a visible one; the oldest of
    /// those represents it.
    func decideUniqueness() -> [Key: UniqueID] {
        var result: [Key: UniqueID] = [:]
        for root in Set(objects.keys.map(\.root)) {
            let live = objects.filter { $0.key.root == root && $0.value.isLive }.sorted { left, right in
                let (first, second) = (left.value.inserted, right.value.inserted)
                return first == second ? left.key.id < right.key.id : first < second
            }
            var visible: [(id: UniqueID, keys: [UniqueKey])] = []
            for (key, object) in live {
                let keys = keys(of: object)
                if let blocking = visible.first(where: { older in keys.contains { older.keys.contains($0) } }) {
                    result[key] = blocking.id
                } else {
                    visible.append((key.id, keys))
                }
            }
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

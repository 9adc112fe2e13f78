import TributaryChanges
import TributaryModel

extension Oracle {
    /// The visible state, one line for each object.
    func shown() -> [String] {
        var lines: [String] = []
        for (key, object) in objects where isVisible(key) {
            guard let entity = model.entity(named: object.entity) else { continue }
            let properties = entity.properties.map { "\($0.name)=\(shown($0, of: key, object))" }
            lines.append("\(key.root) \(key.id) \(object.entity): " + properties.joined(separator: " "))
        }
        return lines.sorted()
    }

    private func shown(_ property: Property, of key: Key, _ object: Object) -> String {
        switch property {
        case .attribute(let attribute):
            if attribute.mergeRule == .counter {
                return "\(object.amounts[attribute.name].map(Oracle.sum) ?? attribute.defaultValue)"
            }
            return "\(object.registers[attribute.name]?.value ?? attribute.defaultValue)"
        case .relationship(let relationship, .column): return "\(target(of: key, object, relationship))"
        case .relationship(let relationship, .inverse(let owner, let register)):
            let sources = sources(of: key, owner, register)
            if relationship.isToMany { return list(ordered(sources.map(\.id), of: key, relationship)) }
            return "\(sources.first.map { PropertyValue.reference($0.id) } ?? .null)"
        case .relationship(let relationship, .links(let table, let ownsPairs)):
            return list(linked(to: key, relationship, table, ownsPairs))
        }
    }

    /// The objects ordered by the positions of the pairs, with an empty text for a missing position, then by ID.
    private func ordered(_ ids: [UniqueID], of key: Key, _ relationship: Relationship) -> [UniqueID] {
        guard relationship.isOrdered, let root = model.entity(named: relationship.destination)?.root else { return ids }
        let table = "\(key.root)_\(relationship.name)"
        let shown = shownPairs(of: table, isSymmetric: false)
        func position(_ id: UniqueID) -> String {
            shown[Pair(table: table, source: key, target: Key(root: root, id: id))] ?? ""
        }

        return ids.sorted { left, right in
            let (first, second) = (position(left), position(right))
            return first == second ? left < right : first.utf8.lexicographicallyPrecedes(second.utf8)
        }
    }

    private func list(_ ids: [UniqueID]) -> String { "\(ids.map(\.description))" }

    /// The target that a to-one register shows; nothing while the target is not visible, or another object owns it.
    private func target(of key: Key, _ object: Object, _ relationship: Relationship) -> PropertyValue {
        guard case .reference(let id)? = object.registers[relationship.name]?.value,
            let destination = model.entity(named: relationship.destination),
            let id = shown(Key(root: destination.root, id: id))
        else { return .null }
        if let inverse = relationship.inverse, destination.property(named: inverse)?.relationship?.isToMany == false {
            let winner = claims(on: id, destination.root, key.root, relationship.name).first
            guard winner?.id == key.id else { return .null }
        }
        return .reference(id)
    }

    /// The visible objects whose register shows the object at `key`.
    private func sources(of key: Key, _ owner: String, _ register: String) -> [Key] {
        guard let entity = model.entity(named: owner),
            case .relationship(let relationship, _)? = entity.property(named: register),
            let inverse = model.entity(named: relationship.destination)?.property(named: relationship.inverse ?? "")
        else { return [] }
        let claims = claims(on: key.id, key.root, entity.root, register)
        if inverse.relationship?.isToMany == false { return Array(claims.prefix(1)) }
        return claims.sorted { $0.id < $1.id }
    }

    /// The candidates for owning a target, best first: the greatest version, then the greatest ID.
    private func claims(on id: UniqueID, _ targetRoot: String, _ root: String, _ register: String) -> [Key] {
        objects.filter { key, object in
            guard key.root == root, isVisible(key), case .reference(let held)? = object.registers[register]?.value
            else {
                return false
            }
            return shown(Key(root: targetRoot, id: held)) == id
        }.sorted { left, right in
            let (first, second) = (left.value.registers[register]?.version, right.value.registers[register]?.version)
            guard let first, let second, first != second else { return right.key.id < left.key.id }
            return second < first
        }.map(\.key)
    }

    private func linked(
        to key: Key,
        _ relationship: Relationship,
        _ table: String,
        _ ownsPairs: Bool
    ) -> [UniqueID] {
        let isSymmetric = relationship.inverse == relationship.name
        var found: [(position: String, id: UniqueID)] = []
        for (pair, position) in shownPairs(of: table, isSymmetric: isSymmetric) {
            if pair.source == key, ownsPairs || isSymmetric {
                found.append((position, pair.target.id))
            } else if pair.target == key, !ownsPairs || isSymmetric {
                found.append((position, pair.source.id))
            }
        }
        return found.sorted { left, right in
            guard relationship.isOrdered, left.position != right.position else { return left.id < right.id }
            return left.position.utf8.lexicographicallyPrecedes(right.position.utf8)
        }.map(\.id)
    }
}

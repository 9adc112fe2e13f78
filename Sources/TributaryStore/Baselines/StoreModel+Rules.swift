import TributaryChanges
import TributaryModel

extension Reader {
    var joinedRules: BaselineRules {
        get throws {
            try setting(StoreModel.joinedRules).flatMap { JSONValue(text: $0) }.flatMap(BaselineRules.init) ?? .init()
        }
    }

    /// True after a join with a baseline of a larger model; other stores may then keep more writes that this model lacks.
    package var hasForeignRules: Bool {
        get throws {
            let layout = context.layout
            return try layout.rules(and: joinedRules) != layout.rules(and: BaselineRules())
        }
    }
}

extension StoreModel {
    static let joinedRules = "baselines.rules"
    static let ruleBytes = 8 << 20
    static let counter = "counter"
    static let fractionCounter = "counter with fractions"

    func rules(and joined: BaselineRules) -> BaselineRules {
        var rules = BaselineRules()
        for entity in entities.map(\.entity) {
            let known = entity.properties.compactMap { property in rule(of: property).map { (property.name, $0) } }
            rules.roots[entity.root, default: [:]][entity.name] = Dictionary(uniqueKeysWithValues: known)
        }
        rules.add(joined)
        return rules
    }

    private func rule(of property: Property) -> String? {
        switch property {
        case .attribute(let attribute):
            guard attribute.isStored else { return nil }
            let isFractionCounter = attribute.effectiveRule == .counter && !attribute.type.isInteger
            return isFractionCounter ? StoreModel.fractionCounter : attribute.effectiveRule.rawValue
        case .relationship(let relationship, let storage):
            let inverse = relationship.inverse.flatMap { name in
                model.entity(named: relationship.destination)?.property(named: name)?.relationship
            }
            let kind =
                switch (storage, relationship.isToMany) {
                case (.links, _): inverse == relationship ? "symmetric many-to-many" : "many-to-many"
                case (.inverse, true): "one-to-many"
                case (.column, _), (.inverse, false):
                    inverse?.isToMany == false && inverse != relationship ? "one-to-one" : "to-one"
                }
            return relationship.isOrdered ? "ordered \(kind)" : kind
        }
    }

    /// Returns the rules of a baseline that the store lacks; `joined` has the rules of joined baselines.
    func compare(_ header: BaselineHeader, joined: BaselineRules) throws(BaselineJoinError) -> BaselineRules {
        let own = rules(and: joined).roots
        var unknown = BaselineRules()
        for (root, entities) in header.rules.roots.sorted(by: { $0.key.precedesByBytes($1.key) }) {
            for (name, rules) in entities.sorted(by: { $0.key.precedesByBytes($1.key) }) {
                let entity = entity(named: name)?.entity
                let (ownRoot, present) = (entity?.root ?? root, entity?.name ?? name)
                guard self.entity(named: root)?.entity.name ?? root == ownRoot else {
                    throw .otherRule(name, nil, theirs: root, own: ownRoot, model: header.model)
                }
                for (property, rule) in rules.sorted(by: { $0.key.precedesByBytes($1.key) }) {
                    let index = entity.flatMap { propertyIndex(named: property, of: $0) }
                    let written = index.flatMap { entity?.properties[$0].name } ?? property
                    guard let known = own[ownRoot]?[present]?[written] else {
                        unknown.roots[root, default: [:]][name, default: [:]][property] = rule
                        continue
                    }
                    guard known == rule else {
                        throw .otherRule(name, property, theirs: rule, own: known, model: header.model)
                    }
                }
            }
        }
        return unknown
    }

    /// A bound has no version: under another rule, this store alone would treat it as its own write.
    package func mayHaveBound(_ name: String, of entity: String) -> Bool {
        guard let entity = self.entity(named: entity), let property = propertyIndex(named: name, of: entity.entity)
        else { return true }
        guard case .column(let column) = entity.places[property] else { return false }
        return tables[entity.table].columns[column].mergeRule.isBound
    }
}

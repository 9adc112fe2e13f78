import TributaryChanges
import TributaryModel

/// Versions of a model that follow each other by random steps; each element has a number that survives renaming.
struct ModelEvolution {
    struct Attribute {
        var key: Int
        var name: String
        var former: String?
        var type: AttributeType
        var isOptional: Bool
        var defaultValue: Int64?
        var rule = MergeRule.latest
    }

    /// A relationship to the first entity with an inverse; each side can be removed.
    struct Pair {
        var name: String
        var former: String?
        var inverse: String
        var inverseFormer: String?
        /// Whether the relationship is many-to-many; otherwise it is many-to-one.
        var isToMany: Bool
        var hasOwn = true
        var hasInverse = true
    }

    struct Entity {
        var key: Int
        var name: String
        var former: String?
        var attributes: [Attribute]
        /// A relationship to the first entity, to-one or to-many.
        var link: (name: String, former: String?, isToMany: Bool, isOrdered: Bool)
        var isIndexed = false
        var pair: Pair?
    }

    private(set) var versions: [[Entity]] = []
    private var nextKey = 0
    /// Whether attributes have several merge rules, and entities have relationships with an inverse.
    private let hasRules: Bool

    init(versions count: Int, hasRules: Bool = false, using random: inout some RandomNumberGenerator) {
        self.hasRules = hasRules
        var current = [entity(), entity(), entity()]
        for index in current.indices {
            if index > 0 { current[index].pair = pair(using: &random) }
            for _ in 0..<3 { current[index].attributes.append(attribute(using: &random)) }
        }
        versions = [current]
        for _ in 1..<count {
            for index in current.indices {
                current[index].former = nil
                current[index].link.former = nil
                current[index].pair?.former = nil
                current[index].pair?.inverseFormer = nil
                for place in current[index].attributes.indices { current[index].attributes[place].former = nil }
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) { step(&current, using: &random) }
            versions.append(current)
        }
    }

    private mutating func key() -> Int {
        nextKey += 1
        return nextKey
    }

    private mutating func entity() -> Entity {
        let key = key()
        return Entity(key: key, name: "E\(key)", attributes: [], link: ("link", nil, false, false))
    }

    private mutating func pair(using random: inout some RandomNumberGenerator) -> Pair? {
        guard hasRules else { return nil }
        let key = key()
        return Pair(name: "p\(key)", inverse: "q\(key)", isToMany: Bool.random(using: &random))
    }

    private mutating func attribute(using random: inout some RandomNumberGenerator) -> Attribute {
        let key = key()
        return Attribute(
            key: key,
            name: "a\(key)",
            type: [.integer16, .integer32, .integer64].randomElement(using: &random) ?? .integer16,
            isOptional: true,
            defaultValue: Bool.random(using: &random) ? Int64(key) : nil,
            rule: hasRules ? [.latest, .max, .min, .counter].randomElement(using: &random) ?? .latest : .latest
        )
    }

    /// Renames a relationship with an inverse, or removes the side that does not store it, or both sides.
    private mutating func changePair(_ entity: Entity, using random: inout some RandomNumberGenerator) -> Pair? {
        guard var changed = entity.pair else { return nil }
        let storages = Set(versions.compactMap { storesPair(entity.key, in: $0) })
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where changed.former == nil:
            changed.former = changed.name
            changed.name = "p\(key())"
        case 1 where changed.inverseFormer == nil:
            changed.inverseFormer = changed.inverse
            changed.inverse = "q\(key())"
        case 2 where storages == [false]: changed.hasOwn = false
        case 3 where storages == [true]: changed.hasInverse = false
        default:
            changed.hasOwn = false
            changed.hasInverse = false
        }
        return changed.hasOwn || changed.hasInverse ? changed : nil
    }

    /// Whether the entity's own side stores the relationship, and not the inverse; nil unless a version has both sides.
    private func storesPair(_ key: Int, in version: [Entity]) -> Bool? {
        guard let entity = version.first(where: { $0.key == key }), let pair = entity.pair, pair.hasOwn,
            pair.hasInverse
        else { return nil }
        return !pair.isToMany || (entity.name, pair.name) < (version[0].name, pair.inverse)
    }

    private mutating func step(_ entities: inout [Entity], using random: inout some RandomNumberGenerator) {
        let index = Int.random(in: entities.indices, using: &random)
        let place = entities[index].attributes.indices.randomElement(using: &random)
        switch Int.random(in: 0..<(hasRules ? 12 : 10), using: &random) {
        case 0: entities[index].attributes.append(attribute(using: &random))
        case 1:
            if let place, entities[index].attributes.count > 1 { entities[index].attributes.remove(at: place) }
        case 2:
            guard let place, entities[index].attributes[place].former == nil else { return }
            entities[index].attributes[place].former = entities[index].attributes[place].name
            entities[index].attributes[place].name = "a\(key())"
        case 3:
            guard let place else { return }
            switch entities[index].attributes[place].type {
            case .integer16: entities[index].attributes[place].type = .integer32
            case .integer32: entities[index].attributes[place].type = .integer64
            case .integer64 where entities[index].attributes[place].rule == .latest:
                entities[index].attributes[place].type = .decimal
            default: break
            }
        case 4:
            if let place { entities[index].attributes[place].defaultValue = Int64(key()) }
        case 5:
            guard let place else { return }
            entities[index].attributes[place].isOptional.toggle()
            if !entities[index].attributes[place].isOptional {
                entities[index].attributes[place].defaultValue = Int64(key())
            }
        case 6:
            guard entities[index].former == nil,
                versions.last?.contains(where: { $0.key == entities[index].key }) == true
            else { return }
            entities[index].former = entities[index].name
            entities[index].name = "E\(key())"
        case 7:
            var new = entity()
            new.attributes = [attribute(using: &random)]
            new.pair = pair(using: &random)
            entities.append(new)
        case 8:
            if index > 0, entities.count > 2 { entities.remove(at: index) }
        case 10, 11: entities[index].pair = changePair(entities[index], using: &random)
        default:
            entities[index].isIndexed.toggle()
            if entities[index].link.isToMany {
                entities[index].link.isOrdered.toggle()
            } else {
                entities[index].link.isToMany = true
            }
        }
    }

    func models() throws -> [Model] {
        var models: [Model] = []
        for (index, entities) in versions.enumerated() {
            let definitions = entities.map { entity -> EntityDefinition in
                var definition = EntityDefinition(name: entity.name)
                definition.renamingIdentifier = entity.former
                definition.attributes = entity.attributes.map { attribute in
                    var made = TributaryModel.Attribute(name: attribute.name, type: attribute.type)
                    made.isOptional = attribute.isOptional
                    made.renamingIdentifier = attribute.former
                    made.mergeRule = attribute.rule
                    made.defaultValue = attribute.defaultValue.map { attribute.type.converted(.integer($0)) } ?? .null
                    return made
                }
                var link = Relationship(name: entity.link.name, destination: entities[0].name)
                link.isToMany = entity.link.isToMany
                link.isOrdered = entity.link.isOrdered
                link.isOptional = true
                definition.relationships = [link] + relationships(of: entity, in: entities)
                if entity.isIndexed, let first = entity.attributes.first {
                    definition.fetchIndexes = [FetchIndex(name: "i", elements: [.init(first.name)])]
                }
                return definition
            }
            models.append(try Model(version: "\(index + 1)", entities: definitions).succeeding(models))
        }
        return models
    }

    /// The relationships with an inverse; for the first entity, all inverses from the other entities.
    private func relationships(of entity: Entity, in entities: [Entity]) -> [Relationship] {
        var result: [Relationship] = []
        func add(_ name: String, _ former: String?, to destination: String, isToMany: Bool, inverse: String?) {
            var made = Relationship(name: name, destination: destination)
            made.renamingIdentifier = former
            made.isToMany = isToMany
            made.isOptional = true
            made.inverse = inverse
            result.append(made)
        }
        if let pair = entity.pair, pair.hasOwn {
            let inverse = pair.hasInverse ? pair.inverse : nil
            add(pair.name, pair.former, to: entities[0].name, isToMany: pair.isToMany, inverse: inverse)
        }
        guard entity.key == entities[0].key else { return result }
        for other in entities {
            guard let pair = other.pair, pair.hasInverse else { continue }
            let inverse = pair.hasOwn ? pair.name : nil
            add(pair.inverse, pair.inverseFormer, to: other.name, isToMany: true, inverse: inverse)
        }
        return result
    }
}

import TributaryChanges

/// Compares each older version only with the next version, so that the cost grows with the number of versions.
struct VersionChain {
    /// Versions share this object when the entity does not change between them.
    final class Followed {
        let first: Entity
        let lastName: String
        let isRemoved: Bool
        let root: FormerNames.Root?
        let properties: [String: FollowedProperty]

        init(
            _ first: Entity,
            lastName: String,
            isRemoved: Bool = false,
            root: FormerNames.Root? = nil,
            _ properties: [String: FollowedProperty]
        ) {
            self.first = first
            self.lastName = lastName
            self.isRemoved = isRemoved
            self.root = root
            self.properties = properties
        }
    }

    enum FollowedProperty {
        case current(String)
        /// `entity` is the name of its entity in the last version that has the property.
        case removed(FormerNames.RemovedProperty, entity: String)
    }

    /// The newest version comes first.
    private(set) var versions: [[Followed]] = []

    init(_ older: [Model], to last: Model) {
        var newer = last
        var followed = last.entities.map { entity in
            let names = entity.properties.map { ($0.name, FollowedProperty.current($0.name)) }
            return Followed(entity, lastName: entity.name, Dictionary(uniqueKeysWithValues: names))
        }
        for version in older.reversed() {
            let step = Step(version, ModelMapping(from: version, to: newer), followed)
            followed = version.entities.map(step.follow)
            versions.append(followed)
            newer = version
        }
    }

    private struct Step {
        private let version: Model
        private let mapping: ModelMapping
        private let successors: [String: String]
        private let followed: [String: Followed]

        init(_ version: Model, _ mapping: ModelMapping, _ followed: [Followed]) {
            self.version = version
            self.mapping = mapping
            successors = mapping.successors
            self.followed = Dictionary(uniqueKeysWithValues: followed.map { ($0.first.name, $0) })
        }

        private func successor(of entity: String) -> Followed? { successors[entity].flatMap { followed[$0] } }

        func follow(_ entity: Entity) -> Followed {
            guard let next = successor(of: entity.name) else {
                let root: FormerNames.Root =
                    successor(of: entity.root).map {
                        $0.isRemoved ? .removed($0.lastName) : .surviving($0.lastName)
                    } ?? .removed(entity.root)
                let properties = entity.properties.map { ($0.name, removed($0, of: entity)) }
                return Followed(
                    entity,
                    lastName: entity.name,
                    isRemoved: true,
                    root: root,
                    Dictionary(uniqueKeysWithValues: properties)
                )
            }
            let formerNames = mapping.properties[next.first.name] ?? [:]
            if next.first.hasNames(of: entity), formerNames.count == next.properties.count,
                formerNames.allSatisfy({ $0.key.isIdentical(to: $0.value) })
            {
                return next
            }
            let names = Dictionary(formerNames.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            let properties = entity.properties.map { property in
                (property.name, names[property.name].flatMap { next.properties[$0] } ?? removed(property, of: entity))
            }
            return Followed(
                entity,
                lastName: next.lastName,
                isRemoved: next.isRemoved,
                root: next.root,
                Dictionary(uniqueKeysWithValues: properties)
            )
        }

        private func removed(_ property: Property, of entity: Entity) -> FollowedProperty {
            var result = FormerNames.RemovedProperty(definition: property)
            result.isOrdered = property.relationship.map(version.hasPositions) ?? false
            if let relationship = property.relationship, let inverse = relationship.inverse,
                let owner = successor(of: relationship.destination),
                let name = mapping.properties[owner.first.name]?.first(where: { $0.value == inverse })?.key
            {
                switch owner.properties[name] {
                case .current(let name)?:
                    result.counterpart = FormerNames.Counterpart(entity: owner.lastName, property: name)
                case .removed(let later, let entity)?:
                    result.laterInverse = FormerNames.Counterpart(entity: entity, property: later.definition.name)
                case nil: break
                }
            }
            return .removed(result, entity: entity.name)
        }
    }
}

extension Entity {
    fileprivate func hasNames(of other: Entity) -> Bool {
        name.isIdentical(to: other.name) && renamingIdentifier == other.renamingIdentifier
            && properties.elementsEqual(other.properties) {
                $0.name.isIdentical(to: $1.name) && $0.renamingIdentifier == $1.renamingIdentifier
            }
    }
}

extension Model {
    package func hasPositions(_ relationship: Relationship) -> Bool {
        let inverse = relationship.inverse.flatMap { entity(named: relationship.destination)?.property(named: $0) }
        return relationship.isOrdered || inverse?.relationship?.isOrdered == true
    }
}

extension FormerNames {
    /// Each history is followed to `model` on its own, unless it is the end of an earlier history.
    package init(of model: Model, histories: [ModelVersions]) {
        self.init(of: model)
        let chains = histories.enumerated().compactMap { index, history in
            histories[..<index].contains(where: history.areLast) ? nil : VersionChain(history.passing(), to: model)
        }
        // The oldest version with a name decides which current name it stands for.
        for chain in chains {
            var known: Set<ObjectIdentifier> = []
            for version in chain.versions.reversed() {
                for entity in version where !entity.isRemoved && known.insert(ObjectIdentifier(entity)).inserted {
                    insert(entity.first.name, ofEntity: entity.lastName)
                    guard let current = model.entity(named: entity.lastName) else { continue }
                    for case (let former, .current(let name)) in entity.properties {
                        insert(former, ofProperty: name, of: current)
                    }
                }
            }
        }
        // The newest version with a name decides what was removed. Renaming identifiers come after the names of their
        // version.
        for chain in chains.reversed() {
            var known: Set<ObjectIdentifier> = []
            for version in chain.versions {
                let entities = version.reversed().filter { known.insert(ObjectIdentifier($0)).inserted }
                for entity in entities { insertRemoved(entity) }
                for entity in entities { insertIdentifiers(of: entity) }
            }
        }
    }

    private mutating func insertRemoved(_ entity: VersionChain.Followed) {
        if entity.isRemoved { insertRemoved(entity: entity.first.name, lastName: entity.lastName) }
        if let root = entity.root { setRoot(root, ofRemoved: entity.lastName) }
        for case (let former, .removed(let property, _)) in entity.properties {
            insertRemoved(property, named: former, of: entity.lastName)
        }
    }

    private mutating func insertIdentifiers(of entity: VersionChain.Followed) {
        if let identifier = entity.first.renamingIdentifier {
            if entity.isRemoved {
                insertRemoved(entity: identifier, lastName: entity.lastName)
            } else {
                insert(identifier, ofEntity: entity.lastName)
            }
        }
        let current = model.entity(named: entity.lastName)
        for property in entity.first.properties {
            guard let identifier = property.renamingIdentifier, current?.propertyIndex(named: identifier) == nil
            else { continue }
            switch entity.properties[property.name] {
            case .current(let name)?: if let current { insert(identifier, ofProperty: name, of: current) }
            case .removed(let removed, _)?: insertRemoved(removed, named: identifier, of: entity.lastName)
            case nil: break
            }
        }
    }
}

package import TributaryChanges

package struct MigrationInference: Sendable {
    package let old: Model
    package let new: Model
    /// Without the properties that a custom stage replaces.
    package private(set) var mapping: ModelMapping
    package private(set) var changes: [MigrationChange] = []
    package private(set) var refusals: [MigrationRefusal] = []
    private let replacesProperties: Bool

    package init(from old: Model, through versions: [Model] = [], to new: Model, replacesProperties: Bool = false) {
        self.old = old
        self.new = new
        self.replacesProperties = replacesProperties
        mapping = ModelMapping(from: old, through: versions, to: new)
        guard old.versionHash != new.versionHash else { return }
        replaceMovedRelationships()
        let successors = mapping.successors
        for entity in new.entities {
            guard let before = former(entity) else {
                change(.addEntity, entity.name)
                continue
            }
            compare(before, entity)
        }
        for entity in old.entities where successors[entity.name] == nil {
            change(.removeEntity, entity.name)
        }
        refuseDividedHierarchies()
        refuseJoinedHierarchies()
    }

    /// Whether `old` is the newer version by the renaming identifiers; nil when they do not decide.
    package var isBackwards: Bool? {
        var result: Bool?
        func compare(_ former: String, _ oldIdentifier: String?, _ name: String, _ newIdentifier: String?) {
            if former == name { return }
            if newIdentifier == former { result = false } else if oldIdentifier == name { result = result ?? true }
        }
        for after in new.entities {
            guard let before = former(after) else { continue }
            compare(before.name, before.renamingIdentifier, after.name, after.renamingIdentifier)
            for (name, former) in mapping.properties[after.name] ?? [:] {
                let (old, new) = (before.property(named: former), after.property(named: name))
                compare(former, old?.renamingIdentifier, name, new?.renamingIdentifier)
            }
        }
        return result
    }

    private func former(_ entity: Entity) -> Entity? {
        mapping.entities[entity.name].flatMap { old.entity(named: $0) }
    }

    package func plan() throws(MigrationError) -> MigrationPlan {
        guard refusals.isEmpty else {
            throw .notInferable(from: old.version, to: new.version, refusals)
        }
        return MigrationPlan(from: old.version, to: new.version, changes: changes)
    }

    // MARK: Entities

    private mutating func compare(_ before: Entity, _ after: Entity) {
        let name = after.name
        if !before.name.isIdentical(to: name) {
            change(.renameEntity, name, from: before.name, to: name)
        }
        if after.parent.flatMap({ mapping.entities[$0] ?? "" }) != before.parent {
            change(.changeParent, name, from: before.parent ?? "none", to: after.parent ?? "none")
        }
        if before.isAbstract != after.isAbstract {
            if after.isAbstract {
                refuse(name, nil, "concrete", "abstract", .abstract)
            } else {
                change(.changeAbstractness, name, from: "abstract", to: "concrete")
            }
        }
        compareProperties(before, after)
        func renamed(_ names: [String]) -> [String] { names.map { mapping.property($0, of: name) ?? "new \($0)" } }
        if Set(after.uniquenessConstraints.map(renamed)) != Set(before.uniquenessConstraints) {
            change(.changeConstraints, name)
        }
        let indexes = after.fetchIndexes.map { index in
            FetchIndex(
                name: index.name,
                elements: index.elements.map { element in
                    FetchIndex.Element(renamed([element.property])[0], ascending: element.isAscending)
                }
            )
        }
        if Set(indexes) != Set(before.fetchIndexes) { change(.changeIndexes, name) }
        if before.versionHashModifier != after.versionHashModifier { change(.changeOther, name) }
    }

    /// A hierarchy cannot be divided: the store keeps only the root entity of a deleted object.
    private mutating func refuseDividedHierarchies() {
        let successors = mapping.successors
        for root in old.rootEntities {
            let targets = ([root.name] + root.subentities).compactMap { successors[$0] }.compactMap {
                new.entity(named: $0)
            }
            guard let first = targets.first else { continue }
            for target in targets where target.root != first.root {
                refuse(target.name, nil, "the hierarchy of '\(root.name)'", "that of '\(target.root)'", .split)
            }
        }
    }

    /// Two hierarchies cannot be joined: the store identifies an object by its root entity.
    private mutating func refuseJoinedHierarchies() {
        var sources: [String: String] = [:]
        for entity in new.entities {
            guard let former = former(entity) else { continue }
            guard let known = sources[entity.root] else {
                sources[entity.root] = former.root
                continue
            }
            if known != former.root {
                refuse(entity.name, nil, "the hierarchy of '\(former.root)'", "that of '\(known)'", .join)
            }
        }
    }

    // MARK: Properties

    private mutating func compareProperties(_ before: Entity, _ after: Entity) {
        for property in after.ownProperties {
            let name = property.name
            guard let former = mapping.property(name, of: after.name).flatMap({ before.property(named: $0) }) else {
                if property.hasStorage { change(.addProperty, after.name, name) }
                continue
            }
            compare(former, property, in: after, before)
        }
        let kept = Set((mapping.properties[after.name] ?? [:]).values)
        for property in before.ownProperties where !kept.contains(property.name) {
            if property.hasStorage { change(.removeProperty, after.name, property.name) }
            refuseInverseWithoutStorage(of: property, in: before)
        }
    }

    /// A relationship with a destination in another hierarchy is new: its objects are not there.
    private mutating func replaceMovedRelationships() {
        guard !replacesProperties else { return }
        let successors = mapping.successors
        for entity in new.entities {
            let before = former(entity)
            for case .relationship(let relationship, let storage) in entity.ownProperties where storage.isOwn {
                let name = relationship.name
                guard let formerName = mapping.property(name, of: entity.name),
                    case .relationship(let former, let formerStorage)? = before?.property(named: formerName),
                    formerStorage.isOwn, former.isToMany == relationship.isToMany
                else { continue }
                let successor = successors[former.destination].flatMap { new.entity(named: $0) }
                guard successor?.root != new.entity(named: relationship.destination)?.root else { continue }
                mapping.forget(name, of: [entity.name] + entity.subentities)
                let (from, to) = (former.destination, relationship.destination)
                change(.changeDestination, entity.name, name, from: from, to: to)
            }
        }
    }

    /// Refuses to keep the inverse of a removed relationship that had the storage for both: it would become empty.
    private mutating func refuseInverseWithoutStorage(of property: Property, in entity: Entity) {
        guard case .relationship(let relationship, let storage) = property, storage.isOwn,
            let inverse = relationship.inverse, let owner = mapping.successors[relationship.destination],
            let kept = mapping.properties[owner]?.first(where: { $0.value == inverse })?.key
        else { return }
        let name = "\(entity.name).\(relationship.name)"
        let isStillInverse = new.entity(named: owner)?.property(named: kept)?.relationship?.inverse != nil
        refuse(
            owner,
            kept,
            "the inverse of '\(name)'",
            "a relationship without '\(name)'",
            .storage,
            unlessReplaced: isStillInverse
        )
    }

    private mutating func compare(_ former: Property, _ property: Property, in entity: Entity, _ before: Entity) {
        let name = property.name
        if !former.name.isIdentical(to: name) {
            change(.renameProperty, entity.name, name, from: former.name, to: name)
        }
        switch (former, property) {
        case (.attribute(let old), .attribute(let new)):
            switch (old.isStored, new.isStored) {
            case (true, true): compare(old, new, in: entity)
            case (false, true): change(.addProperty, entity.name, name)
            case (true, false): change(.removeProperty, entity.name, name)
            case (false, false): break
            }
        case (.relationship(let old, let oldStorage), .relationship(let new, let newStorage)):
            compare(old, oldStorage, new, newStorage, in: entity)
        case (.attribute, .relationship): refuse(entity.name, name, "an attribute", "a relationship", .kind)
        case (.relationship, .attribute): refuse(entity.name, name, "a relationship", "an attribute", .kind)
        }
    }

    private mutating func compare(_ old: Attribute, _ new: Attribute, in entity: Entity) {
        let name = entity.name
        if old.mergeRule != new.mergeRule {
            refuse(name, new.name, "merge rule \(old.mergeRule.rawValue)", new.mergeRule.rawValue, .mergeRule)
            return
        }
        guard old.type.convertsLosslessly(to: new.type) || old.type.isRounded(as: new.type) else {
            let isOtherForm =
                old.type == .boolean && (new.type.isInteger || [.float, .double, .decimal].contains(new.type))
            refuse(name, new.name, old.type.rawValue, new.type.rawValue, isOtherForm ? .form : .type)
            return
        }
        guard old.mergeRule == .latest || !old.type.changesForm(as: new.type) else {
            refuse(name, new.name, old.type.rawValue, new.type.rawValue, .mergedForm)
            return
        }
        if old.type == .composite, !MigrationInference.extends(old.compositeAttributes, new.compositeAttributes) {
            refuse(name, new.name, "composite \(old.compositeName ?? "")", new.compositeName ?? "", .composite)
            return
        }
        if old.type != new.type {
            change(.changeType, name, new.name, from: old.type.rawValue, to: new.type.rawValue)
        }
        if old.defaultValue != new.defaultValue {
            let (before, after) = (old.defaultValue.json.text, new.defaultValue.json.text)
            change(.changeDefault, name, new.name, from: before, to: after)
        }
        if old.versionHashModifier != new.versionHashModifier { change(.changeOther, name, new.name) }
        switch (old.isOptional, new.isOptional) {
        case (false, true): change(.makeOptional, name, new.name)
        case (true, false) where new.derivationExpression != nil || new.mergeRule == .counter:
            change(.makeMandatory, name, new.name)
        case (true, false) where new.defaultValue.isNull:
            refuse(name, new.name, "optional", "mandatory", .mandatory)
        case (true, false):
            change(.fillMandatory, name, new.name, to: new.defaultValue.json.text)
        case (true, true), (false, false): break
        }
    }

    private static func extends(_ old: [Attribute], _ new: [Attribute]) -> Bool {
        old.allSatisfy { member in
            new.contains { other in
                other.name == member.name && other.type == member.type
                    && extends(member.compositeAttributes, other.compositeAttributes)
            }
        }
    }

    private mutating func compare(
        _ old: Relationship,
        _ oldStorage: RelationshipStorage,
        _ new: Relationship,
        _ newStorage: RelationshipStorage,
        in entity: Entity
    ) {
        let name = entity.name
        let successor = mapping.successors[old.destination]
        guard let successor, self.new.entity(named: successor)?.root == self.new.entity(named: new.destination)?.root
        else {
            refuse(name, new.name, "to \(old.destination)", "to \(new.destination)", .destination)
            return
        }
        if successor != new.destination {
            change(.changeDestination, name, new.name, from: old.destination, to: new.destination)
        }
        switch (old.isToMany, new.isToMany) {
        case (true, false):
            refuse(name, new.name, "to-many", "to-one", .toOne)
            return
        case (false, true): change(.changeToMany, name, new.name)
        case (true, true):
            if case .links = oldStorage, case .inverse = newStorage {
                refuse(name, new.name, "many-to-many", "one-to-many", .oneToMany)
                return
            }
        case (false, false): break
        }
        if old.isOrdered != new.isOrdered, new.isToMany {
            func word(_ isOrdered: Bool) -> String { isOrdered ? "ordered" : "unordered" }
            change(.changeOrder, name, new.name, from: word(old.isOrdered), to: word(new.isOrdered))
        }
        if new.inverse.flatMap({ mapping.property($0, of: new.destination) ?? "" }) != old.inverse {
            change(.changeInverse, name, new.name, from: old.inverse ?? "none", to: new.inverse ?? "none")
        }
        if old.isOptional != new.isOptional {
            change(new.isOptional ? .makeOptional : .makeMandatory, name, new.name)
        }
        if old.versionHashModifier != new.versionHashModifier { change(.changeOther, name, new.name) }
    }

    // MARK: Changes and refusals

    private mutating func change(
        _ kind: MigrationChange.Kind,
        _ entity: String,
        _ property: String? = nil,
        from: String? = nil,
        to: String? = nil
    ) {
        changes.append(MigrationChange(kind, entity, property, from: from, to: to))
    }

    /// A custom stage may replace the property; `property` is nil for a difference of the entity itself.
    private mutating func refuse(
        _ entity: String,
        _ property: String?,
        _ from: String,
        _ to: String,
        _ incompatibility: Incompatibility,
        unlessReplaced isReplaceable: Bool = true
    ) {
        if replacesProperties, isReplaceable, let property {
            let below = new.entity(named: entity)?.subentities ?? []
            mapping.forget(property, of: [entity] + below)
            change(.replaceProperty, entity, property, from: from, to: to)
            return
        }
        let (reason, help) = (incompatibility.reason, incompatibility.help)
        refusals.append(
            MigrationRefusal(entity: entity, property: property, from: from, to: to, reason: reason, help: help)
        )
    }
}

extension RelationshipStorage {
    fileprivate var isOwn: Bool {
        switch self {
        case .column, .links(_, ownsPairs: true): true
        case .inverse, .links(_, ownsPairs: false): false
        }
    }
}

extension Property {
    fileprivate var hasStorage: Bool { attribute?.isStored ?? true }
}

private struct Incompatibility {
    let reason: String
    let help: String

    init(_ reason: String, help: String = "add a property of another name, or write a custom stage") {
        (self.reason, self.help) = (reason, help)
    }

    private static let newEntity = "add a new entity and move the objects in a custom stage"

    static let abstract = Self(
        "an abstract entity has no objects of its own, and there may be some",
        help: "add a concrete sub-entity and leave this one concrete"
    )
    static let split = Self(
        "the store keeps only the root entity of deleted objects, so a hierarchy cannot be divided",
        help: newEntity
    )
    static let join = Self(
        "the store identifies an object by its root entity, so two hierarchies cannot become one",
        help: newEntity
    )
    static let kind = Self("an attribute has values and a relationship has objects")
    static let mergeRule = Self(
        "the merged values depend on the rule, and writes under the old rule cannot be merged again"
    )
    static let type = Self("the new type cannot hold every value of the old type")
    static let form = Self(
        "writers write true and false where the new type has numbers, and writers with the older version continue to do so"
    )
    static let mergedForm = Self(
        "the merge rule has merged values in the form of the old type, and the new type writes them in another form"
    )
    static let composite = Self("members of the composite were removed or changed their type")
    static let mandatory = Self(
        "objects may lack a value, and the property has no default to fill in",
        help: "give a default, leave it optional, or write a custom stage"
    )
    static let destination = Self(
        "its objects may not be of the new destination entity",
        help: "set the renaming identifier of the destination, use another name, or write a custom stage"
    )
    static let toOne = Self("there may be several objects at the other end")
    static let oneToMany = Self("an object at the other end may belong to several")
    static let storage = Self(
        "the removed side stores the objects of both",
        help: "keep both sides, or remove both and add a relationship of another name that a custom stage fills"
    )
}

extension AttributeType {
    package func convertsLosslessly(to other: AttributeType) -> Bool {
        switch (self, other) {
        case _ where self == other: true
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
        case (.integer16, .float), (.integer16, .double), (.integer32, .double), (.float, .double): true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
        case (.string, .uri), (.uri, .string), (.binary, .transformable), (.transformable, .binary): true
        default: false
        }
    }

    package func isRounded(as other: AttributeType) -> Bool { self == .integer64 && other == .double }

    /// The log writes a decimal as a string.
    package func changesForm(as other: AttributeType) -> Bool { isInteger && !other.isInteger }

    package func converted(_ value: PropertyValue) -> PropertyValue {
        switch (self, value) {
        case (.float, .integer(let whole)), (.double, .integer(let whole)): .double(Double(whole))
        case (.decimal, .integer(let whole)): .decimal(String(whole))
        case (.uri, .string(let text)): .uri(text)
        case (.string, .uri(let text)): .string(text)
        default: value
        }
    }
}

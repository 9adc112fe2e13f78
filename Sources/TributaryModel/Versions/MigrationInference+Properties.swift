package import TributaryChanges

extension MigrationInference {
    mutating func compare(_ old: Attribute, _ new: Attribute, in entity: Entity) {
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

    mutating func compare(
        _ old: Relationship,
        _ oldStorage: RelationshipStorage,
        _ new: Relationship,
        _ newStorage: RelationshipStorage,
        in entity: Entity
    ) {
        let name = entity.name
        let heir = mapping.successors[old.destination]
        guard let heir, self.new.entity(named: heir)?.root == self.new.entity(named: new.destination)?.root else {
            refuse(name, new.name, "to \(old.destination)", "to \(new.destination)", .destination)
            return
        }
        if heir != new.destination {
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
}

extension AttributeType {
    /// Whether each value of this type equals a value of `other`, so that a migration can convert it.
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

    /// Whether a migration converts values of this type to `other` although it has to round some of them.
    package func isRounded(as other: AttributeType) -> Bool { self == .integer64 && other == .double }

    /// Whether the conversion changes the form of a value: an integer becomes a floating-point number, or a decimal,
    /// which the log writes as a string.
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

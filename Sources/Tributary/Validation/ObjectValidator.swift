import Foundation
import TributaryChanges
import TributaryModel

struct ObjectValidator {
    let context: ManagedObjectContext
    let object: ManagedObject
    let checksAll: Bool
    private(set) var found: [ValidationFailure] = []

    mutating func failures() -> [ValidationFailure] {
        for (propertyIndex, property) in object.descriptor.entity.properties.enumerated() {
            switch property {
            case .attribute(let attribute):
                guard attribute.isStored, checksAll || object.changed.contains(propertyIndex) else { continue }
                let value = object.read(propertyIndex)
                check(attribute, value)
                // Objects without a class of their own have no hook.
                guard object.descriptor.type != ManagedObject.self else { continue }
                found += SaveValidation(context: context).failures(of: object, .value(value, key: attribute.name)) {
                    try object.validateValue(value, forKey: attribute.name)
                }
            case .relationship(let relationship, _):
                let isTouched =
                    checksAll || object.changed.contains(propertyIndex)
                    || context.pending.delta[RelationshipDelta.Key(object, propertyIndex)] != nil
                guard isTouched else { continue }
                check(relationship, at: propertyIndex)
            }
        }
        return found
    }

    mutating func check(_ attribute: Attribute, _ value: PropertyValue) {
        guard !value.isNull else {
            if !attribute.isOptional && attribute.isStored && attribute.derivationExpression == nil {
                fail(attribute.name, .missing, "is mandatory and has no value")
            }
            return
        }
        guard attribute.valueType.accepts(value) else {
            return fail(
                attribute.name,
                .type,
                "takes \(attribute.expectation(refusing: value)), not \(value.kindName)",
                value
            )
        }
        if case .string(let text) = value { return check(attribute, text) }
        if let order = value.order(to: attribute.minimum), order < 0 {
            fail(attribute.name, .tooSmall, "is less than \(attribute.minimum.bound)", value, attribute.minimum)
        }
        if let order = value.order(to: attribute.maximum), order > 0 {
            fail(attribute.name, .tooLarge, "is greater than \(attribute.maximum.bound)", value, attribute.maximum)
        }
    }

    private mutating func check(_ attribute: Attribute, _ text: String) {
        if let minimum = attribute.minimum.number, Decimal(text.count) < minimum {
            let message = "has fewer than \(attribute.minimum.bound) characters"
            fail(attribute.name, .tooSmall, message, .string(text), attribute.minimum)
        }
        if let maximum = attribute.maximum.number, Decimal(text.count) > maximum {
            let message = "has more than \(attribute.maximum.bound) characters"
            fail(attribute.name, .tooLarge, message, .string(text), attribute.maximum)
        }
        guard let pattern = attribute.regularExpression,
            (try? StringMatcher(.matches, pattern))?.matches(text) != true
        else { return }
        fail(attribute.name, .pattern, "does not match \(pattern)", .string(text), .string(pattern))
    }

    mutating func check(_ relationship: Relationship, _ value: PropertyValue) {
        switch value {
        case .null: if !relationship.isOptional { failWithoutObject(relationship) }
        case .reference(let id):
            if let target = context.object(id, entity: relationship.destination) {
                checkDestination(target, relationship)
            }
        default: fail(relationship.name, .type, "takes an object, not \(value.kindName)", value)
        }
    }

    private mutating func check(_ relationship: Relationship, at propertyIndex: Int) {
        guard relationship.isToMany else {
            let target = object.related(propertyIndex)
            if let target, target.state != .deleted {
                checkDestination(target, relationship)
            } else if !relationship.isOptional {
                failWithoutObject(relationship, lost: target == nil ? object.lostTarget(propertyIndex) : nil)
            }
            return
        }
        let targets = context.relationships.relatedIDs(object, propertyIndex)
        for target in context.pending.delta[RelationshipDelta.Key(object, propertyIndex)]?.addedInOrder ?? [] {
            checkDestination(context.object(with: target), relationship)
        }
        let count = targets.filter { context.registeredObject(for: $0)?.state != .deleted }.count
        if let failure = ValidationFailure(object.objectID, relationship, count: count) { found.append(failure) }
    }

    private mutating func failWithoutObject(_ relationship: Relationship, lost: ManagedObjectID? = nil) {
        guard let lost else { return fail(relationship.name, .missing, "is mandatory and has no object") }
        found.append(ValidationFailure(object.objectID, relationship.name, without: lost))
    }

    private mutating func checkDestination(_ target: ManagedObject, _ relationship: Relationship) {
        guard !target.descriptor.entity.isKind(of: relationship.destination) else { return }
        // A fault with the ID of a parent entity has its own entity when it is read.
        fail(relationship.name, .destination, "takes \(relationship.destination), not \(target.descriptor.entity.name)")
    }

    private mutating func fail(
        _ property: String,
        _ rule: ValidationFailure.Rule,
        _ message: String,
        _ value: PropertyValue = .null,
        _ limit: PropertyValue = .null
    ) {
        var failure = ValidationFailure(objectID: object.objectID, property: property, rule: rule, message: message)
        (failure.value, failure.limit) = (value, limit)
        found.append(failure)
    }
}

extension PropertyValue {
    fileprivate func order(to bound: PropertyValue) -> Int? {
        if let order = compared(to: bound) { return order }
        // A decimal may be compared with a bound of another type.
        guard let right = bound.number, let left = number else { return nil }
        return left < right ? -1 : left > right ? 1 : 0
    }

    fileprivate var number: Decimal? {
        switch self {
        case .integer(let value): Decimal(value)
        case .double(let value): Decimal(value).isNaN ? nil : Decimal(value)
        case .date(let value): Decimal(value.unixSeconds).isNaN ? nil : Decimal(value.unixSeconds)
        case .decimal(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        default: nil
        }
    }

    fileprivate var bound: String {
        switch self {
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .date(let value): value.date.ISO8601Format()
        case .decimal(let text): text
        default: "the bound"
        }
    }
}

struct ObjectRules {
    let object: ManagedObject

    func validateProperties() throws {
        guard let context = try contextToValidate(.properties) else { return }
        var validator = ObjectValidator(context: context, object: object, checksAll: true)
        try throwIfAny(validator.failures())
    }

    func validateDeletion() throws {
        guard let context = try contextToValidate(.deletion) else { return }
        try throwIfAny(SaveValidation(context: context).denialFailures(of: object))
    }

    func validateRules(of value: PropertyValue, forKey key: String) throws {
        guard let context = try contextToValidate(.value(value, key: key)) else { return }
        var validator = ObjectValidator(context: context, object: object, checksAll: true)
        switch object.descriptor.entity.properties[try object.propertyIndex(named: key)] {
        case .attribute(let attribute): validator.check(attribute, value)
        case .relationship(let relationship, _):
            guard !relationship.isToMany else {
                throw ContextError.toMany(key, entity: object.descriptor.entity.name)
            }
            validator.check(relationship, value)
        }
        try throwIfAny(validator.found)
    }

    private func contextToValidate(_ checked: ValidationProgress.Checked) throws -> ManagedObjectContext? {
        guard let context = object.managedObjectContext else { throw ContextError.detached(object.objectID) }
        context.checkConfinement()
        if let progress = context.saving.validation, progress.covers(checked, of: object) { return nil }
        try object.load()
        return context
    }

    private func throwIfAny(_ failures: [ValidationFailure]) throws {
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }
}

import TributaryChanges
import TributaryModel

/// The checks of the validation hooks of ``ManagedObject`` without an override: the rules of the model.
struct ObjectRules {
    let object: ManagedObject

    /// Checks all properties in their current state.
    func validateProperties() throws {
        guard let context = try contextToValidate(.properties) else { return }
        var validator = ObjectValidator(object: object, checksAll: true)
        try throwIfAny(validator.failures(in: context))
    }

    /// Checks whether a Deny rule forbids the deletion.
    func validateDeletion() throws {
        guard let context = try contextToValidate(.deletion) else { return }
        try throwIfAny(SaveValidation(context: context).denialFailures(of: object))
    }

    /// Checks whether a property may have a value.
    func validateRules(of value: PropertyValue, forKey key: String) throws {
        guard let context = try contextToValidate(.value(value, key: key)) else { return }
        var validator = ObjectValidator(object: object, checksAll: true)
        switch object.descriptor.entity.properties[try object.propertyIndex(named: key)] {
        case .attribute(let attribute): validator.check(attribute, value)
        case .relationship(let relationship, _):
            guard !relationship.isToMany else {
                throw ContextError.wrongKind(
                    entity: object.descriptor.entity.name,
                    property: key,
                    expected: "an attribute or to-one"
                )
            }
            validator.check(relationship, value, in: context)
        }
        try throwIfAny(validator.found)
    }

    /// The context; nil when the validation that called the hook checks the rules itself.
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

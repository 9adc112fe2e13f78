import TributaryChanges
import TributaryModel

extension ManagedObject {
    /// Checks all properties as they are now.
    ///
    /// - Throws: ``ValidationError`` with all failures, ``ContextError`` when the object cannot be read.
    func validateProperties() throws {
        guard let context = try contextToValidate(.properties) else { return }
        var validator = ObjectValidator(object: self, checksAll: true)
        try throwIfAny(validator.failures(in: context))
    }

    /// Checks whether a Deny rule forbids the deletion.
    ///
    /// - Throws: ``ValidationError`` with all failures, ``ContextError`` when the object cannot be read.
    func validateDeletion() throws {
        guard let context = try contextToValidate(.deletion) else { return }
        try throwIfAny(SaveValidation(context: context).denialFailures(of: self))
    }

    /// Checks whether a property may have a value.
    ///
    /// - Throws: ``ValidationError`` with all failures, ``ContextError`` when the entity has no such property or it is
    ///   to-many.
    func validateRules(of value: PropertyValue, forKey key: String) throws {
        guard let context = try contextToValidate(.value(value, key: key)) else { return }
        var validator = ObjectValidator(object: self, checksAll: true)
        switch kind.entity.properties[try slot(named: key)] {
        case .attribute(let attribute): validator.check(attribute, value)
        case .relationship(let relationship, _):
            guard !relationship.isToMany else {
                throw ContextError.wrongKind(
                    entity: kind.entity.name,
                    property: key,
                    expected: "an attribute or to-one"
                )
            }
            validator.check(relationship, value, in: context)
        }
        try throwIfAny(validator.found)
    }

    /// The context; nil when the validation that has called a hook checks the rules itself.
    private func contextToValidate(_ checked: ValidationProgress.Checked) throws -> ManagedObjectContext? {
        guard let context = managedObjectContext else { throw ContextError.detached(objectID) }
        context.checkConfinement()
        if let progress = context.saving.validation, progress.covers(checked, of: self) { return nil }
        try load()
        return context
    }

    private func throwIfAny(_ failures: [ValidationFailure]) throws {
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }
}

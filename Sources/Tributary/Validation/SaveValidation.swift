// Validation: the rules of the model and the hooks of the classes, before a save and on request.

import TributaryChanges
import TributaryModel

struct SaveValidation {
    let context: ManagedObjectContext

    func validate() throws {
        var failures = context.pending.removeRefusedWrites()
        var counted: Set<RelationshipDelta.Key> = []
        for object in context.pending.objects {
            switch object.state {
            case .deleted:
                failures += denialFailures(of: object)
                // The store checks numbers again when it is written.
                if context.above != nil { failures += countFailures(without: object, &counted) }
                failures += self.failures(of: object, .deletion) { try object.validateForDelete() }
            case .inserted, .updated:
                var validator = ObjectValidator(context: context, object: object, checksAll: object.state == .inserted)
                failures += validator.failures()
                failures += self.failures(of: object, .properties) {
                    if object.state == .inserted {
                        try object.validateForInsert()
                    } else {
                        try object.validateForUpdate()
                    }
                }
            case .clean, .gone, .detached: break
            }
        }
        for owner in context.relationships.linkedOwners {
            failures += self.failures(of: owner, .properties) { try owner.validateForUpdate() }
        }
        failures += countFailures()
        try throwIfAny(failures)
    }

    func throwIfAny(_ failures: [ValidationFailure]) throws {
        guard !failures.isEmpty else { return }
        var failures = failures.withoutRepetitions
        if let request = context.saving.request {
            let indices = request.indices
            for index in failures.indices { failures[index].changeIndex = indices[failures[index].objectID] }
        }
        throw ValidationError(failures: failures)
    }

    private func countFailures() -> [ValidationFailure] {
        context.pending.delta.changes.keys.sorted { ($0.id, $0.propertyIndex) < ($1.id, $1.propertyIndex) }.flatMap {
            key -> [ValidationFailure] in
            guard let root = context.schema.rootDescriptor(at: key.rootIndex)?.entity,
                root.properties.count <= key.propertyIndex
                    || root.properties[key.propertyIndex].isBounded,
                let owner = context.relationships.owner(of: key), owner.state == .clean
            else { return [] }
            var validator = ObjectValidator(context: context, object: owner, checksAll: false)
            return validator.failures()
        }
    }

    /// Checks each relationship once: contexts above may have linked other objects to the deleted object since.
    private func countFailures(
        without object: ManagedObject,
        _ counted: inout Set<RelationshipDelta.Key>
    ) -> [ValidationFailure] {
        object.descriptor.entity.properties.enumerated().flatMap { propertyIndex, property -> [ValidationFailure] in
            guard let (descriptor, inverseIndex) = property.relationship.flatMap(context.relationships.inverse),
                case let inverse = descriptor.entity.properties[inverseIndex], inverse.isBounded,
                let relationship = inverse.relationship, relationship.isToMany
            else { return [] }
            return object.objectsAtOtherEnd(propertyIndex).compactMap { owner in
                let key = RelationshipDelta.Key(owner, inverseIndex)
                guard !owner.state.isDeletion, counted.insert(key).inserted else { return nil }
                let members = context.relationships.relatedIDs(owner, inverseIndex)
                let count = members.count { context.registeredObject(for: $0)?.state.isDeletion != true }
                return ValidationFailure(owner.objectID, relationship, count: count)
            }
        }
    }

    func denialFailures(of object: ManagedObject) -> [ValidationFailure] {
        context.relationships.denials(of: object).map { denial in
            ValidationFailure(denying: object.objectID, denial.relationship, others: denial.objects.count)
        }
    }

    func failures(
        of object: ManagedObject,
        _ checked: ValidationProgress.Checked,
        in hook: () throws -> Void
    ) -> [ValidationFailure] {
        // A hook may validate other objects, with further calls of hooks.
        let outer = context.saving.validation
        context.saving.validation = ValidationProgress(checked, of: object)
        defer { context.saving.validation = outer }
        do {
            try hook()
            return []
        } catch {
            if let error = error as? ValidationError, !error.failures.isEmpty { return error.failures }
            var failure = ValidationFailure(
                objectID: object.objectID,
                property: nil,
                rule: .hook,
                message: "\(error)"
            )
            if case .value(let value, let key) = checked { (failure.property, failure.value) = (key, value) }
            return [failure]
        }
    }
}

extension [ValidationFailure] {
    fileprivate var withoutRepetitions: [ValidationFailure] {
        var known: Set<ValidationFailure> = []
        return filter { failure in
            var identity = failure
            // NaN is not equal to itself; the message distinguishes failures of a value.
            (identity.value, identity.limit) = (.null, .null)
            return known.insert(identity).inserted
        }
    }
}

/// If a hook calls `super`, known failures must not be reported again, and its own conditions must be reached.
struct ValidationProgress {
    enum Checked: Equatable {
        case properties
        case deletion
        case value(PropertyValue, key: String)
    }

    private let object: ObjectIdentifier
    private let checked: Checked

    init(_ checked: Checked, of object: ManagedObject) {
        self.object = ObjectIdentifier(object)
        self.checked = checked
    }

    func covers(_ other: Checked, of object: ManagedObject) -> Bool {
        self.object == ObjectIdentifier(object) && checked == other
    }
}

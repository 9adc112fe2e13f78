import TributaryChanges
import TributaryModel

extension ManagedObjectContext {
    /// Checks everything that the save would write.
    ///
    /// - Throws: ``ValidationError`` with all failures.
    func validate() throws {
        var failures = owed.takeRefusedWrites()
        for object in dirty.objects {
            switch object.state {
            case .deleted: failures += deletionFailures(of: object)
            case .inserted, .updated:
                var validator = ObjectValidator(object: object, isInsert: object.state == .inserted)
                failures += validator.failures(in: self)
                failures += hookFailures(of: object)
            case .clean, .gone, .detached: break
            }
        }
        for owner in linkedOwners { failures += hookFailures(of: owner) }
        failures += countFailures()
        guard !failures.isEmpty else { return }
        if let request {
            for index in failures.indices { failures[index].changeIndex = request.indices[failures[index].objectID] }
        }
        throw ValidationError(failures: failures)
    }

    /// Whether the next save has to tell of writes that had no effect.
    var hasRefusedWrites: Bool { !owed.refusedWrites.isEmpty }

    /// What others have done to the relationships of objects that have no changes of their own.
    private func countFailures() -> [ValidationFailure] {
        ledger.differences.keys.sorted { ($0.id, $0.slot) < ($1.id, $1.slot) }.flatMap { key -> [ValidationFailure] in
            guard let root = schema.rootKind(at: key.rootIndex)?.entity,
                root.properties.count <= key.slot || root.properties[key.slot].relationship?.isBounded != false,
                let owner = owner(of: key), owner.state == .clean
            else { return [] }
            var validator = ObjectValidator(object: owner, isInsert: false)
            return validator.failures(in: self)
        }
    }

    private func deletionFailures(of object: ManagedObject) -> [ValidationFailure] {
        var failures = denials(of: object).map { denial in
            ValidationFailure(
                objectID: object.objectID,
                property: denial.relationship,
                rule: .denied,
                message: "must not be deleted while \(denial.objects.count) other objects refer to it"
            )
        }
        do {
            try object.validateForDelete()
        } catch {
            failures.append(hookFailure(of: object, error))
        }
        return failures
    }

    private func hookFailures(of object: ManagedObject) -> [ValidationFailure] {
        do {
            if object.state == .inserted { try object.validateForInsert() } else { try object.validateForUpdate() }
            return []
        } catch {
            return (error as? ValidationError)?.failures ?? [hookFailure(of: object, error)]
        }
    }

    private func hookFailure(of object: ManagedObject, _ error: any Error) -> ValidationFailure {
        ValidationFailure(objectID: object.objectID, property: nil, rule: .hook, message: "\(error)")
    }
}

extension Relationship {
    /// Whether there are numbers of objects that it must not have.
    fileprivate var isBounded: Bool { isToMany && (!isOptional || minimumCount > 0 || maximumCount > 1) }
}

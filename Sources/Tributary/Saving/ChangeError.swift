package import TributaryChanges

/// Why one of several changes could not be applied.
package struct ChangeError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case unknownEntity(String)
        /// Objects of an abstract entity cannot be made.
        case abstractEntity(String)
        case unknownProperty(entity: String, property: String)
        /// The value does not fit the property; what it takes, and what was given.
        case wrongValue(entity: String, property: String, expected: String, found: String)
        /// An object that is updated, deleted, linked or linked to is not there.
        case notFound(ManagedObjectID)
        case duplicateID(ManagedObjectID)
        /// The object was changed since the version that the caller knows; `found` is nil when it was deleted.
        case versionMoved(ManagedObjectID, expected: Int64, found: Int64?)
        case context(ContextError)
    }

    /// The place of the change among those that were given, from 0.
    package var index: Int
    package var reason: Reason

    package init(index: Int, reason: Reason) {
        self.index = index
        self.reason = reason
    }

    /// Whether somebody else's change is in the way, so that reading again and trying again may help.
    package var isConflict: Bool {
        switch reason {
        case .duplicateID, .versionMoved: true
        default: false
        }
    }

    package var description: String {
        switch reason {
        case .unknownEntity(let name): "the model has no entity '\(name)'"
        case .abstractEntity(let name): "the entity '\(name)' is abstract: it has no objects of its own"
        case .unknownProperty(let entity, let property): "the entity '\(entity)' has no property '\(property)'"
        case .wrongValue(let entity, let property, let expected, let found):
            "\(entity).\(property) takes \(expected), not \(found)"
        case .notFound(let id): "there is no object \(id)"
        case .duplicateID(let id): "there is an object \(id) already"
        case .versionMoved(let id, let expected, let found):
            found.map { "\(id) is at version \($0), not \(expected)" } ?? "\(id) was deleted since version \(expected)"
        case .context(let error): error.description
        }
    }
}

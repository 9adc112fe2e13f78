package import TributaryChanges

/// The error of the first change that could not be applied.
package struct ChangeError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case unknownEntity(String)
        case abstractEntity(String)
        case unknownProperty(entity: String, property: String)
        /// The value does not fit the property; `expected` and `found` describe both.
        case wrongValue(entity: String, property: String, expected: String, found: String)
        /// An object that is updated, deleted, linked or linked to does not exist.
        case notFound(ManagedObjectID)
        case duplicateID(ManagedObjectID)
        /// The object was changed since the version that the caller knows; `found` is nil when it was deleted.
        case versionMoved(ManagedObjectID, expected: Int64, found: Int64?)
        case context(ContextError)
    }

    package var index: Int
    package var reason: Reason

    package init(index: Int, reason: Reason) {
        self.index = index
        self.reason = reason
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

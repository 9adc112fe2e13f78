public import TributaryChanges

/// A property of an object that fails validation.
public struct ValidationFailure: Hashable, Sendable, CustomStringConvertible {
    /// The rule that the value breaks.
    public enum Rule: String, Hashable, Sendable {
        /// A mandatory property has no value.
        case missing
        /// The value is not of the attribute's type, or is a number that no store can hold.
        case type
        /// A number or date is below its minimum, or a string too short.
        case tooSmall
        /// A number or date is above its maximum, or a string too long.
        case tooLarge
        /// A string does not match the regular expression.
        case pattern
        case tooFew
        case tooMany
        /// The object may not be deleted while other objects are at the end of the relationship.
        case denied
        /// The object at the end of a relationship is not of the destination entity.
        case destination
        /// The object or its new target was deleted or gone when the property was set: the write had no effect.
        case gone
        /// The attribute is derived, and a program set it: the write had no effect.
        case derived
        /// A hook of the class reported a failure.
        case hook
    }

    /// The failing object.
    public var objectID: ManagedObjectID
    /// The failing property; nil when a hook refused the object as a whole.
    public var property: String?
    /// The rule that is broken.
    public var rule: Rule
    /// A message about the failure, without the object's name.
    public var message: String
    /// The value that fails; null when it is missing or a relationship.
    public var value: PropertyValue = .null
    /// The bound that the value or the count breaks, the pattern as a string; null when the rule has none.
    public var limit: PropertyValue = .null
    /// The concrete entity of the failing object.
    public var entity: String { objectID.entity }
    /// The index of the change that introduced the failing object, when changes were applied.
    ///
    /// See `ManagedObjectContext.apply(_:)`.
    public var changeIndex: Int?

    /// Creates a failure from its properties.
    public init(
        objectID: ManagedObjectID,
        property: String?,
        rule: Rule,
        message: String,
        changeIndex: Int? = nil
    ) {
        self.objectID = objectID
        self.property = property
        self.rule = rule
        self.message = message
        self.changeIndex = changeIndex
    }

    /// The object, the property and the message.
    public var description: String { "\(objectID)\(property.map { ".\($0)" } ?? ""): \(message)" }
}

/// All failures that prevent a save: each failing object and property, not only the first.
public struct ValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failures in the order of the changes of their objects.
    public var failures: [ValidationFailure]

    /// Creates an error from its failures.
    public init(failures: [ValidationFailure]) {
        self.failures = failures
    }

    /// A description with one line for each failure.
    public var description: String { failures.map(\.description).joined(separator: "\n") }
}

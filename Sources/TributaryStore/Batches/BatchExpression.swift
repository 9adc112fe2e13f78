package import TributaryChanges

/// What a batch update gives a property.
package enum BatchExpression: Sendable, Hashable {
    case value(PropertyValue)
    /// Adds to the number that is there; nothing counts as zero.
    case increment(PropertyValue)
    /// The value that another attribute of the same object had before.
    case copy(of: String)
}

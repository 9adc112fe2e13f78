package import TributaryChanges

/// The new value that a batch update gives to a property.
package enum BatchExpression: Sendable, Hashable {
    case value(PropertyValue)
    /// Adds to the current number; a missing value counts as zero.
    case increment(PropertyValue)
    /// Copies the value that another attribute of the object had before the update.
    case copy(of: String)
}

package import TributaryChanges

/// A change as a log operation that is applied only if the object is still at a version.
package struct ConditionalChange: Hashable, Sendable {
    package var change: Change
    package var ifVersion: Int64?

    package init(_ change: Change, ifVersion: Int64? = nil) {
        self.change = change
        self.ifVersion = ifVersion
    }
}

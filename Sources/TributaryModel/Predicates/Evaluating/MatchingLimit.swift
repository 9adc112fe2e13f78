/// A limit of the time for matching one string, such as with a regular expression that backtracks.
package enum MatchingLimit {
    /// Whether matching must end; evaluated repeatedly during a match, which fails once this returns true.
    @TaskLocal package static var isOver: (@Sendable () -> Bool)?

    /// Whether the current match must end.
    package static var isReached: Bool { isOver?() ?? false }
}

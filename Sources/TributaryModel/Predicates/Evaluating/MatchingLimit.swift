/// Ends the matching of one string that takes too long, such as by an expression that backtracks.
package enum MatchingLimit {
    /// Asked from time to time while a string is matched; once it is true, matching ends and nothing fits.
    @TaskLocal package static var isOver: (@Sendable () -> Bool)?

    /// Whether whoever matches has to give up.
    package static var isReached: Bool { isOver?() ?? false }
}

/// A limit of the time for matching one string, such as with a regular expression that backtracks.
package struct MatchingLimit: Sendable {
    /// Whether matching must end; evaluated repeatedly during a match, which fails once this returns true.
    private let isOver: @Sendable () -> Bool

    /// The limit of the current task; nil when it may match for as long as it takes.
    ///
    /// A task-local value whose type is an optional closure crashes programs that Swift 6.3 builds with optimization: the
    /// metadata of that type is not found by its mangled name (swiftlang/swift#88321). Hence this struct.
    @TaskLocal private static var current: MatchingLimit?

    package static var isSet: Bool { current != nil }

    package static var isReached: Bool { current?.isOver() ?? false }

    /// Runs an operation whose matches fail once `isOver` returns true.
    package static func with<Result>(
        _ isOver: @escaping @Sendable () -> Bool,
        operation: () throws -> Result
    ) rethrows -> Result {
        try $current.withValue(MatchingLimit(isOver: isOver), operation: operation)
    }
}

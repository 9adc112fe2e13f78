import TestTraits
import Testing

extension ConcurrentTestLimit {
    fileprivate static let daemons = ConcurrentTestLimit(places: 6)
}

extension Trait where Self == ConcurrentTestLimit {
    /// Limits the number of tests with daemons that run at one time.
    ///
    /// Daemons without processor time would respond later than their clients wait, and the system gives a user 128
    /// inotify instances.
    static var daemonTurns: Self { .daemons }
}

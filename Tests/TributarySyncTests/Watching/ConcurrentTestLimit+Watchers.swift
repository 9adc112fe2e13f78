import TestTraits
import Testing

extension ConcurrentTestLimit {
    fileprivate static let watchers = ConcurrentTestLimit(places: 16)
}

extension Trait where Self == ConcurrentTestLimit {
    /// Limits the number of tests that watch a log folder at one time: the system gives a user 128 inotify instances.
    static var watcherTurns: Self { .watchers }
}

import Synchronization

/// A model's version hash, computed when somebody asks for it first; copies of the model share it.
///
/// What the hash covers never changes in a model that has been made.
final class LazyVersionHash: Sendable {
    private let known = Mutex<String?>(nil)

    /// Whether somebody has asked.
    var isKnown: Bool { known.withLock { $0 != nil } }

    func value(_ make: () -> String) -> String {
        known.withLock { known in
            if let known { return known }
            let made = make()
            known = made
            return made
        }
    }
}

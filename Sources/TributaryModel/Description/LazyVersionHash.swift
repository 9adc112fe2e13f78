import Synchronization

/// A model's version hash, computed at the first access and shared by the copies of the model.
///
/// Nothing that the hash covers changes after a model has been created.
final class LazyVersionHash: Sendable {
    private let known = Mutex<String?>(nil)

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

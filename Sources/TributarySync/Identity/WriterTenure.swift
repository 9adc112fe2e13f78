import Synchronization
import TributaryChanges

/// The one owner of the decision which writer the store is while it runs.
///
/// The store becomes another writer inside ``change(_:)``. Whoever gives a file of a writer its name, or removes one, does
/// it inside ``act(as:_:)``: while the store is that writer, and nothing shows that another program is it too.
final class WriterTenure: Sendable {
    /// The store is not the writer any more, or perhaps not the only one.
    struct Ended: Error, CustomStringConvertible {
        var writer: UniqueID

        var description: String {
            "The store is not the writer \(writer) any more; the next attempt takes the new one."
        }
    }

    private let lock = Mutex<Void>(())
    private let state: SyncStateOwner

    init(_ state: SyncStateOwner) {
        self.state = state
    }

    /// Runs `change`, after which the store may be another writer.
    ///
    /// - Throws: What `change` throws.
    func change<T: Sendable>(_ change: () throws -> T) throws -> T { try lock.withLock { _ in try change() } }

    /// Runs `action` while the store is a writer.
    ///
    /// - Throws: ``Ended`` when it is not; what `action` throws.
    func act<T: Sendable>(as writer: UniqueID, _ action: () throws -> T) throws -> T {
        try lock.withLock { _ in
            guard state.read({ $0.planner.own == writer && $0.identity.fork == nil }) else {
                throw Ended(writer: writer)
            }
            return try action()
        }
    }
}

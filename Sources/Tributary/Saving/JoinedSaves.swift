import TributaryStore

/// The open transaction that a context's saves join, with the states to restore when it fails.
final class JoinedSaves {
    /// The open transaction, in which the context reads its own writes.
    private(set) var transaction: WriteTransaction?
    private var mementos: [SaveMemento] = []
    /// Whether a save is being planned, which may call `resolveConflict`.
    private(set) var isPlanning = false

    /// Makes saves join the transaction while `block` runs.
    func join(_ transaction: WriteTransaction, _ block: () throws -> Void) rethrows {
        self.transaction = transaction
        defer { self.transaction = nil }
        try block()
    }

    /// Whether the states before the saves are kept; otherwise a failure leaves a context that is to be reset.
    var keepsStates = true

    func add(_ memento: @autoclosure () -> SaveMemento) {
        if keepsStates { mementos.append(memento()) }
    }

    /// Returns the states before the saves, in order, and removes them.
    func removeMementos() -> [SaveMemento] {
        defer { mementos = [] }
        return mementos
    }

    /// Runs the part of a save that must not be re-entered before it has ended.
    func planning<T>(_ block: () throws -> T) throws -> T {
        isPlanning = true
        defer { isPlanning = false }
        return try block()
    }
}

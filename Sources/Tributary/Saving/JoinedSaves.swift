import TributaryStore

/// The transaction that the saves of a context become part of, while there is one, and how to take them back.
final class JoinedSaves {
    /// The open transaction: the context reads its own writes.
    private(set) var transaction: WriteTransaction?
    /// The state of the context before each save that became a part of the transaction.
    private var mementos: [SaveMemento] = []
    /// Whether a save is finding out what to write, which may call `resolveConflict`.
    private(set) var isPlanning = false

    /// Makes saves a part of the transaction while `body` runs.
    func join(_ transaction: WriteTransaction, _ body: () throws -> Void) rethrows {
        self.transaction = transaction
        defer { self.transaction = nil }
        try body()
    }

    /// Keeps the state before a save.
    func add(_ memento: SaveMemento) { mementos.append(memento) }

    /// Returns the states before the saves, in order, and forgets them.
    func removeMementos() -> [SaveMemento] {
        defer { mementos = [] }
        return mementos
    }

    /// Runs the part of a save that must not be entered again before it has ended.
    func planning<T>(_ body: () throws -> T) throws -> T {
        isPlanning = true
        defer { isPlanning = false }
        return try body()
    }
}

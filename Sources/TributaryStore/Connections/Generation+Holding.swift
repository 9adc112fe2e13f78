extension Generation {
    /// Keeps one connection, and so this state, for the reads of this thread until `block` ends.
    ///
    /// The state stays the same also when the generation is moved meanwhile. The function takes a connection only when
    /// a second one is idle and remains for other readers; otherwise each read in `block` leases a connection of its
    /// own.
    package func holding<T>(_ block: () -> T) -> T {
        guard held() == nil, let connection = leaseIfIdle() else { return block() }
        defer { giveBack(connection) }
        return holding(connection) { block() }
    }
}

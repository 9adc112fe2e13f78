extension Generation {
    /// Keeps this state for the reads of this thread until `body` ends, also when the generation is moved meanwhile.
    ///
    /// It takes a connection only when one is idle beside the one that is left to others; without one, reads in `body`
    /// are as any.
    package func holding<T>(_ body: () -> T) -> T {
        guard held() == nil, let connection = leaseIfIdle() else { return body() }
        defer { giveBack(connection) }
        return holding(connection) { body() }
    }
}

extension WriteTransaction {
    /// Joins all later calls of `commit(_:)` into one transaction until ``finishJoined()``.
    ///
    /// Of a long transaction not everything is kept: a commit is refused when it deletes what an earlier one has
    /// written.
    package func joinCommits(isLong: Bool = false) { (isJoining, self.isLong) = (true, isLong) }

    /// Ends the transaction that ``joinCommits()`` began; nil when nothing was committed.
    ///
    /// - Throws: the error of an earlier commit that the store refused, because its part of the transaction is missing.
    package func finishJoined() throws -> CommittedTransaction? {
        isJoining = false
        defer { joined = nil }
        if let joinFailure { throw joinFailure }
        return try joined?.finish()
    }

    /// Releases the joined transaction without committing it.
    ///
    /// The joined transaction references this write transaction, and with it statements that must be released before
    /// the store closes.
    package func abandonJoined() { joined = nil }

    func join(_ local: LocalTransaction) throws -> CommittedTransaction {
        if let joinFailure { throw joinFailure }
        do {
            let joined =
                try self.joined
                ?? JoinedTransaction(
                    self,
                    author: local.author,
                    contextName: local.contextName,
                    isOneOfSeveral: true
                )
            self.joined = joined
            try joined.add(local)
            return joined.committed
        } catch {
            joinFailure = error
            throw error
        }
    }
}

extension WriteTransaction {
    /// Makes one transaction of all that `commit(_:)` is given until ``finishJoined()``.
    package func joinCommits() { isJoining = true }

    /// Ends what ``joinCommits()`` began; nil when nothing was committed.
    ///
    /// - Throws: what the store refused before, because a part of what was committed is then missing.
    package func finishJoined() throws -> CommittedTransaction? {
        isJoining = false
        defer { joined = nil }
        if let joinFailure { throw joinFailure }
        return try joined?.finish()
    }

    /// Lets go of what was joined and will not be committed: it holds on to this transaction, and with it to statements
    /// that must be gone when the store closes.
    package func abandonJoined() { joined = nil }

    /// Adds to the one transaction.
    func join(_ local: LocalTransaction) throws -> CommittedTransaction {
        if let joinFailure { throw joinFailure }
        do {
            let joined =
                try self.joined ?? JoinedTransaction(self, author: local.author, contextName: local.contextName)
            self.joined = joined
            let committed = try joined.add(local)
            if let idempotency = local.idempotency { try keep(idempotency, number: committed.number) }
            return committed
        } catch {
            joinFailure = error
            throw error
        }
    }
}

final class ObserverList<Block> {
    private var entries: [(token: ObserverToken, block: Block)] = [] {
        didSet { isEmpty = entries.isEmpty }
    }
    /// A plain flag that is read with each change of a value; accesses to it cannot overlap.
    @exclusivity(unchecked) private(set) var isEmpty = true

    func add(_ block: Block) -> ObserverToken {
        let token = ObserverToken()
        entries.append((token, block))
        return token
    }

    /// Calls `notify` with each observer that is registered now and has not been cancelled, also by one before it.
    func forEach(_ notify: (Block) -> Void) {
        guard !isEmpty else { return }
        for entry in entries where entry.token.isActive { notify(entry.block) }
        removeCancelled()
    }

    func removeCancelled() {
        if entries.contains(where: { !$0.token.isActive }) { entries.removeAll { !$0.token.isActive } }
    }

    func removeAll() {
        let removed = entries
        entries = []
        for entry in removed { entry.token.cancel() }
    }
}

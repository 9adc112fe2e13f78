import TributaryStore

/// The place of a store: the machine, the store's file and the log folder.
struct StoreHome: Hashable, Sendable {
    /// The hash of the machine's ID; nil when the machine has none.
    var machine: String?
    var store: MarkedFile
    /// nil when the folder was never there.
    var logs: MarkedFile?

    init(machine: String?, store: MarkedFile, logs: MarkedFile?) {
        self.machine = machine
        self.store = store
        self.logs = logs
    }

    /// Reads the home that the store records; nil when it has none yet.
    ///
    /// - Throws: what reading throws.
    init?(_ reader: Reader) throws {
        guard let store = try reader.setting(IdentityKeys.store).flatMap({ MarkedFile($0) }) else { return nil }
        self.init(
            machine: try reader.setting(IdentityKeys.machine),
            store: store,
            logs: try reader.setting(IdentityKeys.logs).flatMap { MarkedFile($0) }
        )
    }

    /// Records the home in the store.
    ///
    /// - Throws: what writing throws.
    func record(_ transaction: WriteTransaction) throws {
        if let machine { try transaction.setSetting(IdentityKeys.machine, to: machine) }
        try transaction.setSetting(IdentityKeys.store, to: store.text)
        try transaction.setSetting(IdentityKeys.logs, to: logs?.text)
    }
}

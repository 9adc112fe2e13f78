import Foundation
import GRDB

/// The place of a store: the machine, the store's file and the log folder.
package struct StoreHome: Hashable, Sendable {
    /// The hash of the machine's ID; nil when the machine has none.
    package var machine: String?
    package var store: MarkedFile
    /// nil when the folder was never there.
    package var logs: MarkedFile?

    package init(machine: String?, store: MarkedFile, logs: MarkedFile?) {
        self.machine = machine
        self.store = store
        self.logs = logs
    }

    /// The home of a store that is created on this machine; nil when its file cannot be examined.
    ///
    /// The log folder and the birth time of the file are added when the store is synchronized first.
    init?(ofNewStore path: String) {
        guard let mark = FileMark(withoutBirthOfFile: path) else { return nil }
        self.init(
            machine: MachineID.current,
            store: MarkedFile(path: StoreHome.standardized(path), mark: mark),
            logs: nil
        )
    }

    /// The absolute path of a file, by which homes are compared.
    package static func standardized(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// Reads the home that the store records; nil when it has none yet.
    package init?(_ reader: Reader) throws {
        guard let store = try reader.setting(IdentityKeys.store).flatMap({ MarkedFile($0) }) else { return nil }
        self.init(
            machine: try reader.setting(IdentityKeys.machine),
            store: store,
            logs: try reader.setting(IdentityKeys.logs).flatMap { MarkedFile($0) }
        )
    }

    package func record(_ transaction: WriteTransaction) throws {
        if let machine { try transaction.setSetting(IdentityKeys.machine, to: machine) }
        try transaction.setSetting(IdentityKeys.store, to: store.text)
        try transaction.setSetting(IdentityKeys.logs, to: logs?.text)
    }

    func insert(into db: Database) throws {
        for case (let key, let value?) in [
            (IdentityKeys.machine, machine), (IdentityKeys.store, store.text), (IdentityKeys.logs, logs?.text),
        ] {
            try db.execute(
                sql: "INSERT OR REPLACE INTO tributary_setting(key, value) VALUES (?, ?)",
                arguments: [key, value]
            )
        }
    }
}

import Foundation

/// The place of a store: the machine and the store's file.
///
/// It decides whether a copy gets a label of its own.
package struct StoreHome: Hashable, Sendable {
    /// The hash of the machine's ID; nil when the machine has none.
    package var machine: String?
    package var store: MarkedFile

    package init(machine: String?, store: MarkedFile) {
        self.machine = machine
        self.store = store
    }

    /// The home of a store on this machine; nil when its file cannot be examined.
    init?(ofStoreAt path: String) {
        guard let store = MarkedFile(at: URL(fileURLWithPath: path).standardizedFileURL.path) else { return nil }
        self.init(machine: MachineID.current, store: store)
    }

    /// Reads the home that the store records; nil when it has none.
    package init?(_ reader: Reader) throws {
        guard let store = try reader.setting(IdentityKeys.store).flatMap({ MarkedFile($0) }) else { return nil }
        self.init(machine: try reader.setting(IdentityKeys.machine), store: store)
    }

    func record(_ transaction: WriteTransaction) throws {
        try transaction.setSetting(IdentityKeys.machine, to: machine)
        try transaction.setSetting(IdentityKeys.store, to: store.text)
    }

    /// Whether a store at another home is a copy: it is on another machine, or the file here is still there.
    func isOriginal(of other: StoreHome) -> Bool {
        if let machine, let its = other.machine, machine != its { return true }
        return !store.mark.isSame(as: other.store.mark)
            && FileMark(ofFile: store.path).map { $0.isSame(as: store.mark) } ?? false
    }
}

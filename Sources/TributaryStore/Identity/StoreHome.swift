import CLinux
import Foundation
import TributaryChanges

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

/// A file by its path and its mark.
package struct MarkedFile: Hashable, Sendable {
    package var path: String
    package var mark: FileMark

    package init(path: String, mark: FileMark) {
        self.path = path
        self.mark = mark
    }

    /// Reads the mark of the file at the path; nil when there is none.
    package init?(at path: String) {
        guard let mark = FileMark(ofFile: path) else { return nil }
        self.init(path: path, mark: mark)
    }

    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let inode = UInt64(parts[0]), let born = Int64(parts[1]),
            let fileSystem = UInt64(parts[2])
        else { return nil }
        self.init(path: String(parts[3]), mark: FileMark(inode: inode, born: born, fileSystem: fileSystem))
    }

    /// `<inode> <birth in nanoseconds> <file system> <path>`.
    package var text: String { "\(mark.inode) \(mark.born) \(mark.fileSystem) \(path)" }
}

/// The marks that tell a file or a folder from others, also from copies of it.
package struct FileMark: Hashable, Sendable {
    package var inode: UInt64
    /// The birth time in nanoseconds since 1970; 0 when it is not known.
    package var born: Int64
    /// The number of the file system, which another boot or mount may change.
    package var fileSystem: UInt64

    package init(inode: UInt64, born: Int64, fileSystem: UInt64) {
        self.inode = inode
        self.born = born
        self.fileSystem = fileSystem
    }

    /// Reads the mark of the file at the path, behind symbolic links; nil when there is none.
    ///
    /// The birth time is 0 when the file system records none.
    package init?(ofFile path: String) {
        var mark = clinux_file_mark()
        guard clinux_read_file_mark(path, &mark) == 0 else { return nil }
        self.init(inode: mark.inode, born: mark.born, fileSystem: mark.file_system)
    }

    /// Whether the two marks may be those of one file, on a file system that has another number after a boot.
    func mayBeSame(as other: FileMark) -> Bool {
        inode == other.inode && (born == 0 || other.born == 0 || born == other.born)
    }

    /// Whether the two marks are those of one file.
    ///
    /// The number of the file system decides only where a birth time is not known.
    package func isSame(as other: FileMark) -> Bool {
        guard inode == other.inode else { return false }
        guard born != 0, other.born != 0 else { return fileSystem == other.fileSystem }
        return born == other.born
    }
}

/// The machine that the program runs on.
package enum MachineID {
    /// Tells the hash from those that other programs make of the machine's ID.
    private static let application = "tributary 8e0c1f5a-6d1b-4c6e-9d5e-5f3b1a7c2e90"

    /// The hash of the machine's ID, so that the ID itself is not published with the store; nil when there is none.
    package static var current: String? {
        guard let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8) else { return nil }
        return hash(of: text)
    }

    /// The hash of an ID; nil unless it is one.
    package static func hash(of text: String) -> String? {
        let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard id.utf8.count == 32, id.utf8.allSatisfy({ hexadecimalDigit($0) != nil }) else { return nil }
        return SHA256.hash(data: "\(application) \(id)".utf8).hexadecimal
    }
}

/// The keys of the store's settings about its identity.
package enum IdentityKeys {
    /// The label of the store, which its writers name.
    package static let label = "identity.label"
    /// The name that tokens of history carry.
    package static let history = "identity.history"
    package static let machine = "identity.machine"
    package static let store = "identity.store"
    package static let logs = "identity.logs"
}

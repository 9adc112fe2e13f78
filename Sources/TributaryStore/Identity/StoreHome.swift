import CLinux
import Foundation
import TributaryChanges

/// The machine and the file of a store; they decide whether a copy gets its own label.
package struct StoreHome: Hashable, Sendable {
    package var machine: String?
    package var store: MarkedFile

    package init(machine: String?, store: MarkedFile) {
        self.machine = machine
        self.store = store
    }

    init?(ofStoreAt path: String) {
        guard let store = MarkedFile(at: URL(fileURLWithPath: path).standardizedFileURL.path) else { return nil }
        self.init(machine: MachineID.current, store: store)
    }

    package init?(_ reader: Reader) throws {
        guard let store = try reader.setting(IdentityKeys.store).flatMap({ MarkedFile($0) }) else { return nil }
        self.init(machine: try reader.setting(IdentityKeys.machine), store: store)
    }

    func record(_ transaction: WriteTransaction) throws {
        try transaction.setSetting(IdentityKeys.machine, to: machine)
        try transaction.setSetting(IdentityKeys.store, to: store.text)
    }

    /// The store at `other` is a copy if it is on another machine, or if the file here still exists.
    func isOriginal(of other: StoreHome) -> Bool {
        if let machine, let its = other.machine, machine != its { return true }
        return !store.mark.isSame(as: other.store.mark)
            && FileMark(ofFile: store.path).map { $0.isSame(as: store.mark) } ?? false
    }
}

package struct MarkedFile: Hashable, Sendable {
    package var path: String
    package var mark: FileMark

    package init(path: String, mark: FileMark) {
        self.path = path
        self.mark = mark
    }

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

    package var text: String { "\(mark.inode) \(mark.born) \(mark.fileSystem) \(path)" }
}

package struct FileMark: Hashable, Sendable {
    package var inode: UInt64
    /// Nanoseconds since 1970; 0 if the birth time is not known.
    package var born: Int64
    /// The number of the file system; another boot or mount may change it.
    package var fileSystem: UInt64

    package init(inode: UInt64, born: Int64, fileSystem: UInt64) {
        self.inode = inode
        self.born = born
        self.fileSystem = fileSystem
    }

    /// Follows symbolic links; nil if there is no file.
    package init?(ofFile path: String) {
        var mark = clinux_file_mark()
        guard clinux_read_file_mark(path, &mark) == 0 else { return nil }
        self.init(inode: mark.inode, born: mark.born, fileSystem: mark.file_system)
    }

    func mayBeSame(as other: FileMark) -> Bool {
        inode == other.inode && (born == 0 || other.born == 0 || born == other.born)
    }

    /// Compares file systems only if a birth time is not known, because a boot may change their numbers.
    package func isSame(as other: FileMark) -> Bool {
        guard inode == other.inode else { return false }
        guard born != 0, other.born != 0 else { return fileSystem == other.fileSystem }
        return born == other.born
    }
}

package enum MachineID {
    /// Makes the hash differ from hashes that other programs make of the machine's ID.
    private static let application = "tributary 8e0c1f5a-6d1b-4c6e-9d5e-5f3b1a7c2e90"

    /// A hash, because the machine's ID must not be published with the store; nil if there is no ID.
    package static var current: String? {
        guard let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8) else { return nil }
        return hash(of: text)
    }

    package static func hash(of text: String) -> String? {
        let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard id.utf8.count == 32, id.utf8.allSatisfy({ hexadecimalDigit($0) != nil }) else { return nil }
        return SHA256.hash(data: "\(application) \(id)".utf8).hexadecimal
    }
}

package enum IdentityKeys {
    package static let label = "identity.label"
    package static let history = "identity.history"
    package static let machine = "identity.machine"
    package static let store = "identity.store"
    package static let logs = "identity.logs"
}

import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// The last place of a service's store: a start must not replace a store that was moved away by an empty store.
struct StoreRecord: Sendable {
    private let file: String?

    /// Records nothing for a daemon without a state folder from systemd.
    init(_ sources: ConfigurationSources) {
        let folder = sources.environment["STATE_DIRECTORY"]?.split(separator: ":").first
        file = folder.map { $0 + "/" + DefaultPaths.lastStore }
    }

    private var last: String? {
        guard let file, let (folder, name) = try? OpenFolder.holding(file),
            let bytes = try? folder.contents(of: name, limit: DefaultPaths.longestLastStore)
        else { return nil }
        let path = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        return path.isEmpty ? nil : path
    }

    /// Refuses to begin with an empty store where the service had a store.
    func demand(_ configuration: Configuration) throws(StartFailure) {
        let store = configuration.store
        guard let last, access(store, F_OK) != 0, access(RestoreMarker.path(besideStore: store), F_OK) != 0 else {
            return
        }
        let anew = "to begin with a new store, which imports the log folder: sudo rm \((file ?? "").shellWord)"
        let place = configuration.file.map { "store: in \($0)" } ?? "store:"
        // Without the file, the command would move the store of the service without an instance.
        let config = configuration.file.map { " --config \($0.shellWord)" } ?? ""
        let reason =
            last == store
            ? "the store '\(store)', which this service had, is not there; mount its disk, bring it back, name its place (\(place)), or,"
            : "the store '\(store)' does not exist, and this service had '\(last)'; name that place (\(place)), and move the store with: "
                + "sudo tributaryctl store move\(config) \(store.folder.shellWord); or,"
        // A disk that is mounted late brings the store: systemd tries again.
        throw StartFailure("\(reason) \(anew)", status: last == store ? .inputOutput : .badConfiguration)
    }

    /// Ignores errors; root may write here in the folder of the service's user.
    func write(_ store: String) {
        guard let file, last != store, let (folder, name) = try? OpenFolder.holding(file),
            let record = try? NewFile(name, in: folder, mode: 0o644)
        else { return }
        try? record.write(Array("\(store)\n".utf8))
        try? record.replace()
    }
}

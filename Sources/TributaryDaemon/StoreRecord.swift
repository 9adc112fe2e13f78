import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges

/// The place of the store that a service had last, in a file of its state folder.
///
/// A start makes a store if the file is missing. With the record a start knows that the store was moved away, or that the configuration
/// names another place: an empty store would look healthy.
struct StoreRecord: Sendable {
    private let file: String?

    /// Records nothing for a daemon without a state folder of systemd's.
    init(_ sources: ConfigurationSources) {
        let folder = sources.environment["STATE_DIRECTORY"]?.split(separator: ":").first
        file = folder.map { $0 + "/last-store" }
    }

    private var last: String? {
        guard let file, let data = FileManager.default.contents(atPath: file), data.count <= 4_096 else { return nil }
        let path = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        return path.isEmpty ? nil : path
    }

    /// Refuses to begin with an empty store where the service had one.
    ///
    /// - Throws: ``StartFailure`` with the commands that help.
    func demand(_ configuration: Configuration) throws(StartFailure) {
        let store = configuration.store
        guard let last, access(store, F_OK) != 0, access(RestoreMarker.path(besideStore: store), F_OK) != 0 else {
            return
        }
        let anew = "to begin with a new store, which imports the log folder: sudo rm \((file ?? "").shellWord)"
        let place = configuration.file.map { "store: in \($0)" } ?? "store:"
        let reason =
            last == store
            ? "the store '\(store)', which this service had, is not there; bring it back, name its place (\(place)), or,"
            : "there is no store '\(store)', and this service had '\(last)'; name that place (\(place)), and move the store with: "
                + "sudo tributaryctl store move \(store.folder.shellWord); or,"
        throw StartFailure("\(reason) \(anew)", status: .badConfiguration)
    }

    /// Records the place of an open store.
    func write(_ store: String) {
        guard let file, last != store else { return }
        try? (store + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }
}

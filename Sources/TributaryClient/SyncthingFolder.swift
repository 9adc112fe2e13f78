import TributaryAdmin
package import TributaryChanges

package struct SyncthingFolder: Codable, Hashable, Sendable {
    package struct Versioning: Codable, Hashable, Sendable {
        package var type: String
    }

    package struct Device: Codable, Hashable, Sendable {
        package var deviceID: String
    }

    package var id: String
    package var path: String
    /// `sendreceive`, `sendonly`, `receiveonly` or `receiveencrypted`.
    package var type: String
    package var paused: Bool
    package var ignorePerms: Bool
    package var ignoreDelete: Bool
    package var fsWatcherEnabled: Bool
    package var fsWatcherDelayS: Double
    package var maxConflicts: Int
    package var versioning: Versioning
    package var devices: [Device]

    package static let configurationPath = "/rest/config/folders/"

    package var isSetUp: Bool {
        let found = ReplicatorFinding.all(in: self, ignores: [SyncthingIgnores.staging], logs: path) { _, _ in true }
        return !found.contains { $0.hint == ReplicatorFinding.setup }
    }

    /// Syncthing's own default for the number of conflict copies of a file.
    private static let usualConflicts = 10

    /// Correct settings are not changed: a limit of conflict copies other than 0 stays.
    package static func settings(of folder: SyncthingFolder?) -> [JSONMember] {
        let keepsConflicts = folder.map { $0.maxConflicts != 0 } ?? false
        return JSONValue.members(of: [
            "type": .string("sendreceive"), "ignorePerms": .boolean(true), "ignoreDelete": .boolean(false),
            "fsWatcherEnabled": .boolean(true), "fsWatcherDelayS": .integer(1),
            "versioning": .members(["type": .string("")]),
            "maxConflicts": keepsConflicts ? nil : .count(usualConflicts),
        ])
    }
}

/// A harmful setting of a log folder in Syncthing, with the reason.
package struct ReplicatorFinding: Codable, Hashable, Sendable {
    package var code: String
    package var detail: String
    package var hint: String

    fileprivate static let setup = "To set it right: tributaryctl replicator setup syncthing"

    private init(_ code: String, _ detail: String, hint: String = setup) {
        (self.code, self.detail, self.hint) = (code, detail, hint)
    }

    /// Returns a finding for each harmful setting, the most important first.
    package static func all(
        in folder: SyncthingFolder,
        ignores: [String],
        logs: String,
        isSame: (String, String) -> Bool
    ) -> [ReplicatorFinding] {
        var found: [ReplicatorFinding] = []
        if !isSame(folder.path, logs) {
            found.append(
                .init(
                    "wrong-path",
                    "Syncthing's folder is \(folder.path), but the log folder is \(logs): Syncthing does not carry it.",
                    hint: "Name the ID of the right folder, or add a folder in Syncthing with the path \(logs)"
                )
            )
        }
        if !SyncthingIgnores.leaveOutStaging(ignores) {
            found.append(
                .init(
                    "staging-replicated",
                    "\(SyncthingIgnores.fileName) does not leave out \(SyncthingIgnores.staging): files are carried while "
                        + "they are written, and other machines see them unfinished."
                )
            )
        }
        if folder.paused {
            found.append(
                .init(
                    "paused",
                    "The folder is paused: nothing leaves or arrives.",
                    hint: "Resume the folder in Syncthing"
                )
            )
        }
        if folder.type != "sendreceive" {
            let effect =
                folder.type == "sendonly" ? "nothing of other machines arrives" : "nothing of this machine leaves"
            found.append(.init("one-way", "The folder's type is \(folder.type): \(effect)."))
        }
        if folder.ignoreDelete {
            found.append(
                .init(
                    "ignores-deletions",
                    "The folder ignores deletions (ignoreDelete): segments that compaction has removed elsewhere stay here, and "
                        + "come back everywhere."
                )
            )
        }
        if !folder.versioning.type.isEmpty {
            found.append(
                .init(
                    "versioning",
                    "The folder keeps versions (\(folder.versioning.type)): each segment that compaction removes is kept in "
                        + ".stversions, so that the folder never becomes smaller."
                )
            )
        }
        if folder.maxConflicts == 0 {
            found.append(
                .init(
                    "no-conflict-copies",
                    "The folder keeps no conflict copies (maxConflicts is 0): when two machines write as the same "
                        + "writer, the transactions of one machine are lost, and nothing reports it."
                )
            )
        }
        if !folder.ignorePerms {
            found.append(
                .init(
                    "permissions",
                    "The folder carries permissions (ignorePerms is off): files get the permissions of another machine, "
                        + "and the daemon may not be able to read them."
                )
            )
        }
        if !folder.fsWatcherEnabled {
            found.append(
                .init(
                    "no-watcher",
                    "The folder is not watched: files that are added or removed by hand wait for a rescan."
                )
            )
        } else if folder.fsWatcherDelayS > 1 {
            found.append(
                .init(
                    "slow-watcher",
                    "The watcher waits for \(Int(clamping: folder.fsWatcherDelayS)) s: files of programs that do not ask for "
                        + "a scan leave so much later."
                )
            )
        }
        if folder.devices.count < 2 {
            found.append(
                .init(
                    "not-shared",
                    "The folder is shared with no other device.",
                    hint: "Share it with the other machines in Syncthing, and accept it there"
                )
            )
        }
        return found
    }
}

extension Int {
    fileprivate init(clamping number: Double) {
        self = number.isFinite ? Int(Swift.min(Swift.max(number, 0), 1e9)) : 0
    }
}

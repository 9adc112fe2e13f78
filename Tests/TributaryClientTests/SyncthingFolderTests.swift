import Foundation
import Testing
import TributaryAdmin
import TributaryClient

@Suite("A log folder in Syncthing")
struct SyncthingFolderTests {
    /// The settings of a folder as Syncthing answers, with some members replaced.
    private func folder(_ changes: [String: Any] = [:]) throws -> SyncthingFolder {
        var members: [String: Any] = [
            "id": "logs", "path": "/srv/logs", "type": "sendreceive", "paused": false, "ignorePerms": true,
            "ignoreDelete": false, "fsWatcherEnabled": true, "fsWatcherDelayS": 1, "maxConflicts": 10,
            "versioning": ["type": ""], "devices": [["deviceID": "A"], ["deviceID": "B"]], "rescanIntervalS": 3_600,
        ]
        members.merge(changes) { $1 }
        return try JSONDecoder().decode(SyncthingFolder.self, from: JSONSerialization.data(withJSONObject: members))
    }

    private func codes(_ folder: SyncthingFolder, ignores: [String] = ["/.staging"]) -> [String] {
        ReplicatorFinding.all(in: folder, ignores: ignores, logs: "/srv/logs", isSame: ==).map(\.code)
    }

    @Test("of which nothing is wrong gives no finding")
    func good() throws {
        #expect(try codes(folder()) == [])
        #expect(try codes(folder(["maxConflicts": -1])) == [])
    }

    @Test("that harms is told with a reason")
    func bad() throws {
        #expect(try codes(folder(["path": "/elsewhere"])) == ["wrong-path"])
        #expect(try codes(folder(["paused": true])) == ["paused"])
        #expect(try codes(folder(["type": "receiveonly"])) == ["one-way"])
        #expect(try codes(folder(["ignoreDelete": true])) == ["ignores-deletions"])
        #expect(try codes(folder(["versioning": ["type": "simple"]])) == ["versioning"])
        #expect(try codes(folder(["maxConflicts": 0])) == ["no-conflict-copies"])
        #expect(try codes(folder(["ignorePerms": false])) == ["permissions"])
        #expect(try codes(folder(["fsWatcherEnabled": false])) == ["no-watcher"])
        #expect(try codes(folder(["fsWatcherDelayS": 1e300])) == ["slow-watcher"])
        #expect(try codes(folder(["devices": [["deviceID": "A"]]])) == ["not-shared"])
        #expect(try codes(folder(), ignores: ["/notes"]) == ["staging-replicated"])
        #expect(try codes(folder(["paused": true, "ignoreDelete": true]), ignores: []).count == 3)
    }

    @Test(
        "leaves out the staging folder by any pattern that Syncthing takes so",
        arguments: [
            ("/.staging", true), ("  .staging/ ", true), ("(?d)(?i)/.staging/**", true), (".*", true), ("*", true),
            ("#include shared-ignores", true), ("// /.staging", false), ("!/.staging", false), (".staging2", false),
            ("/logs/.staging", false), ("", false),
        ]
    )
    func patterns(line: String, leavesOut: Bool) {
        #expect(SyncthingIgnores.leaveOutStaging([line]) == leavesOut)
    }

    @Test("is given no limit of conflict copies in the place of the administrator's own")
    func conflicts() throws {
        let without = SyncthingFolder.settings(of: try folder(["maxConflicts": -1]))
        let with = SyncthingFolder.settings(of: try folder(["maxConflicts": 0]))
        #expect(with.count == without.count + 1)
        #expect(SyncthingFolder.settings(of: nil) == with)
    }
}

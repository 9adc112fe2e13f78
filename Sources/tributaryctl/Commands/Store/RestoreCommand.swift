import ArgumentParser
import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

struct RestoreCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup into the place of a store, while its daemon is stopped.",
        discussion: """
            The daemon completes the work at its next start: it checks the store and continues it as a fresh \
            writer, because the former writer may have written more after the backup. Then it imports the log folder.

            With --from-logs the store is moved away without a replacement, and the daemon builds a new one from the log \
            folder at its next start.

            The store is --store, the store of --instance, TRIBUTARY_STORE, or the default store; the configuration is \
            not read. If the store of the service is elsewhere, give --store. An existing store is never \
            replaced: --move-aside gives it another name.

            Ends with 64 when the store exists, 65 when the file is not a backup, 75 while a daemon has the store.
            """
    )

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"), completion: .file())
    var file: String?

    @Flag(help: "Move the store away, so that the next start builds one from the log folder.")
    var fromLogs = false

    @Flag(help: "Give an existing store another name, with the time in it.")
    var moveAside = false

    @Option(help: ArgumentHelp("The store's file.", valueName: "path"), completion: .file())
    var store: String?

    @Option(help: ArgumentHelp("The instance's name: \(DefaultPaths.store(of: "NAME")).", valueName: "name"))
    var instance: InstanceName?

    @Option(help: ArgumentHelp("The SHA-256 that the backup must have.", valueName: "hex"))
    var sha256: String?

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if (file == nil) != fromLogs { throw ValidationError("give either a backup or --from-logs") }
        if fromLogs, sha256 != nil { throw ValidationError("--sha256 is for a backup") }
    }

    func run(on terminal: Terminal) throws {
        let target = try StoppedStore(try StoppedStore.path(store: store, instance: instance?.name))
        guard let file else { return try clear(target, terminal) }
        if target.exists, !moveAside {
            throw CommandFailure(
                reason: "there is a store '\(target.path)' already; --move-aside gives it another name",
                status: .usage
            )
        }
        let backup = try BackupReader(file)
        let copy = try target.newStore()
        let digest = try backup.copy(to: copy)
        if let sha256, sha256.lowercased() != digest {
            throw CommandFailure(reason: "'\(file)' has the SHA-256 \(digest), not \(sha256)", status: .badData)
        }
        // The marker comes first: a daemon that starts after an interruption must neither create an empty store in the
        // free place nor take the former store for the restored store.
        let begun = target.marker?.aside
        let aside = target.freeAside(begun)
        let former = try mark(target, sha256: digest, aside: aside ?? begun)
        if let aside { try moveAside(target, to: aside, marker: former) }
        try complete(target, aside: aside, from: file.shellWord) { () throws(FileFailure) in
            if aside != nil { try target.folder.sync() }
            try copy.finish()
        }
        report(target, aside: aside, digest: digest, terminal)
    }

    private func clear(_ target: StoppedStore, _ terminal: Terminal) throws {
        let marker = target.marker
        guard target.exists || target.isMarked && marker?.former == nil else {
            throw CommandFailure(reason: "the store '\(target.path)' does not exist", status: .noSuchThing)
        }
        // No daemon starts with the marker: after an interruption it would use a store without its write-ahead log.
        let aside = target.freeAside(marker?.aside)
        if let aside {
            try moveAside(target, to: aside, marker: try mark(target, sha256: "", aside: aside))
            try complete(target, aside: aside, from: "--from-logs") { () throws(FileFailure) in
                try target.folder.sync()
            }
        }
        // An interrupted restoration may have moved the store away.
        if let former = aside ?? marker?.aside {
            // The new store resolves the names of all model versions of the former store.
            try mark(target, sha256: "", former: former)
        } else {
            target.unmark()
        }
        report(target, aside: aside, digest: nil, terminal)
    }

    /// The marker prevents the start of a daemon before the restoration is complete; returns the previous marker.
    @discardableResult
    private func mark(
        _ target: StoppedStore,
        sha256: String,
        former: String? = nil,
        aside: String? = nil
    ) throws -> [UInt8]? {
        let before = target.markerBytes
        let now = UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
        let names = [former, aside].map { ($0 as NSString?)?.lastPathComponent }
        try target.mark(RestoreMarker(restored: now, sha256: sha256, former: names[0], aside: names[1]).bytes)
        return before
    }

    /// If the move fails, the store keeps its name and its marker.
    ///
    /// A marked store is a backup: without the marker it would continue as the writer from the time of the backup.
    private func moveAside(_ target: StoppedStore, to aside: String, marker: [UInt8]?) throws {
        do {
            try target.move(to: aside)
        } catch {
            if target.exists {
                if let marker { try target.mark(marker) } else { target.unmark() }
            }
            throw error
        }
    }

    /// An error names the new place of the former store and the next command.
    private func complete(
        _ target: StoppedStore,
        aside: String?,
        from source: String,
        _ work: () throws(FileFailure) -> Void
    ) throws {
        do throws(FileFailure) {
            try work()
        } catch {
            guard let aside else { throw error }
            let reason =
                "\(error). The store that was there is now '\(aside)', with all of its files, and no daemon starts before the "
                + "restoration is complete. To complete it: tributaryctl restore \(source) --store \(target.path.shellWord)"
            throw CommandFailure(reason: reason, status: .inputOutput)
        }
    }

    private func report(_ target: StoppedStore, aside: String?, digest: String?, _ terminal: Terminal) {
        guard !json else {
            let members = JSONValue.members([
                "store": .string(target.path), "movedTo": aside.map(JSONValue.string),
                "sha256": digest.map(JSONValue.string),
            ])
            return terminal.print(members.text)
        }
        if let aside { terminal.print("the store that was there is now " + EscapedText.escape(aside)) }
        let path = EscapedText.escape(target.path)
        terminal.print(
            digest.map { "restored \(path), sha256 \($0); start the daemon to complete it" }
                ?? "start the daemon to build \(path) from the log folder"
        )
    }
}

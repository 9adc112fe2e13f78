import ArgumentParser
import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct ReplicatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicator",
        abstract: "Check and set up the replicator, which carries the log folder to other machines.",
        subcommands: [ReplicatorCheckCommand.command, ReplicatorSetupCommand.self]
    )
}

struct ReplicatorSetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Set a replicator up for the log folder.",
        subcommands: [SyncthingSetupCommand.command]
    )
}

struct SyncthingOptions: ParsableArguments {
    @Option(help: "Syncthing's REST interface; http://127.0.0.1:8384 by default.")
    var url: String?

    @Option(help: ArgumentHelp("A file with its API key alone.", valueName: "path"))
    var keyFile: String?

    @Option(help: ArgumentHelp("The ID of the log folder in Syncthing.", valueName: "id"))
    var folder: String?

    @Option(help: ArgumentHelp("The log folder.", valueName: "path"))
    var logs: String?

    /// Asks the daemon for settings that no flag gives; without a daemon the flags must suffice.
    func syncthing(_ session: Session) async throws -> LogFolderInSyncthing {
        var settings: [String: String] = [:]
        if url == nil || keyFile == nil || folder == nil || logs == nil {
            do {
                let answer = try await session.call(AdminCall(.get, .configuration)).decode(ConfigurationMessage.self)
                settings = Dictionary(answer.settings.map { ($0.key, $0.value ?? "") }) { $1 }.filter { !$1.isEmpty }
            } catch let error as AdminClientError where keyFile == nil || folder == nil || logs == nil {
                throw error
            } catch is AdminClientError {}
        }
        let text = url ?? settings["replicator.syncthing.url"] ?? LoopbackAddress.syncthing.url
        guard let address = LoopbackAddress(url: text) else {
            throw CommandFailure(
                reason: "--url is '\(EscapedText.escape(text))'; it must be http and a loopback address, as "
                    + LoopbackAddress.syncthing.url,
                status: .usage
            )
        }
        func setting(_ given: String?, _ flag: String, _ key: String) throws -> String {
            if let found = given ?? settings[key] { return found }
            throw CommandFailure(reason: "\(flag) is not given, and the configuration has no \(key)", status: .usage)
        }
        let keyFile = try setting(keyFile, "--key-file", "replicator.syncthing.key_file")
        return LogFolderInSyncthing(
            client: SyncthingClient(address: address, keyFile: URL(fileURLWithPath: keyFile).standardizedFileURL.path),
            folder: try setting(folder, "--folder", "replicator.syncthing.folder"),
            logs: URL(fileURLWithPath: try setting(logs, "--logs", "logs")).standardizedFileURL.path
        )
    }
}

struct LogFolderInSyncthing {
    let client: SyncthingClient
    let folder: String
    let logs: String

    func ask<T>(_ body: (SyncthingClient) async throws(SyncthingError) -> T) async throws -> T {
        do {
            return try await body(client)
        } catch {
            let text = EscapedText.escape(error.description) + "\nhint: " + EscapedText.escape(error.hint)
            throw CommandFailure(reason: text, status: error.exitStatus)
        }
    }

    func isSame(_ path: String, _ other: String) -> Bool {
        RealPath.resolved((path as NSString).standardizingPath) == RealPath.resolved(other)
    }
}

private struct ReplicatorReport: Encodable {
    var folder: String
    var problems: [ReplicatorFinding]
}

struct ReplicatorCheckCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List the settings of Syncthing that harm the log folder, with the reasons.",
        discussion: """
            Ends with 75 when something is wrong. Options that are not given are read from the daemon's configuration.
            """
    )

    @OptionGroup var options: SyncthingOptions

    func run(with session: Session) async throws {
        let target = try await options.syncthing(session)
        let settings = try await target.ask { client throws(SyncthingError) in try await client.folder(target.folder) }
        let ignores = try await target.ask { client throws(SyncthingError) in
            try await client.ignores(of: target.folder)
        }
        let found = ReplicatorFinding.all(in: settings, ignores: ignores, logs: target.logs, isSame: target.isSame)
        if session.json {
            let report = ReplicatorReport(folder: target.folder, problems: found)
            session.terminal.print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        } else {
            if found.isEmpty {
                session.terminal.print("the folder '\(EscapedText.escape(target.folder))' is as it should be")
            }
            for finding in found {
                let lead = session.terminal.styled("problem: ", .red)
                session.terminal.print(lead + EscapedText.escape(finding.detail))
                session.terminal.print("  hint: " + EscapedText.escape(session.hints.text(finding.hint)))
            }
        }
        if !found.isEmpty { throw ExitStatus.tryAgain }
    }
}

struct SyncthingSetupCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "syncthing",
        abstract: "Make or change Syncthing's folder so that it carries the log folder well.",
        discussion: """
            Writes .stignore into the log folder, makes the folder in Syncthing if it has no folder with the ID, and \
            sets all settings that `tributaryctl replicator check` looks for. With --share it is shared with another \
            device, which must do the same.
            """
    )

    @OptionGroup var options: SyncthingOptions

    @Flag(name: .customLong("print"), help: "Change nothing; print what would be set.")
    var prints = false

    @Option(
        help: ArgumentHelp(
            "Share the folder with a device, given by its ID, and =tcp://HOST:22000 when the two do not find each other.",
            valueName: "device"
        )
    )
    var share: [String] = []

    /// A drop-in for Debian's unit, which runs Syncthing for a user.
    private static let dropIn = """
        [Service]
        UMask=0007
        SupplementaryGroups=tributary-logs
        """

    func run(with session: Session) async throws {
        let target = try await options.syncthing(session)
        let terminal = session.terminal
        if prints {
            let ignores = EscapedText.escape("\(target.logs)/\(SyncthingIgnores.fileName)")
            terminal.print("\(ignores) has the line:\n  \(SyncthingIgnores.staging)")
            terminal.print("The folder '\(EscapedText.escape(target.folder))' in Syncthing has:")
            for member in SyncthingFolder.settings(of: nil) {
                terminal.print("  \(member.key): \(member.value.text)")
            }
        } else {
            try await setUp(target, on: terminal)
        }
        let command = "systemctl edit syncthing@USER.service"
        terminal.print(HintText.withRights("Syncthing's service needs the following lines; to add them: \(command)"))
        for line in Self.dropIn.split(separator: "\n") { terminal.print("  \(line)") }
        terminal.print("The daemon asks it for scans with this in its configuration, and: tributaryctl reload")
        terminal.print(
            """
              replicator:
                syncthing:
                  url: \(target.client.address.url)
                  key_file: \(EscapedText.escape(target.client.keyFile))
                  folder: \(EscapedText.escape(target.folder))
            """
        )
    }

    private func setUp(_ target: LogFolderInSyncthing, on terminal: Terminal) async throws {
        let (id, logs) = (target.folder, target.logs)
        let former: SyncthingFolder? = try await target.ask { client throws(SyncthingError) in
            do throws(SyncthingError) {
                return try await client.folder(id)
            } catch {
                guard case .noSuchFolder = error else { throw error }
                return nil
            }
        }
        if let former, !target.isSame(former.path, logs) {
            throw CommandFailure(
                reason:
                    EscapedText.escape("Syncthing's folder '\(id)' is \(former.path), and the log folder is \(logs)")
                    + "\nhint: Name another ID with --folder, or remove that folder in Syncthing",
                status: .badConfiguration
            )
        }
        let wrote = try leaveOutStaging(in: logs)
        let ignores = EscapedText.escape("\(logs)/\(SyncthingIgnores.fileName)")
        terminal.print("\(ignores) leaves out \(SyncthingIgnores.staging) \(wrote ? "now" : "already")")
        let settings = SyncthingFolder.settings(of: former)
        try await target.ask { client throws(SyncthingError) in
            if former == nil {
                try await client.make(id, path: logs, settings)
            } else {
                if former?.isSetUp == false { try await client.set(settings, of: id) }
                // A scan reads the patterns first, even a scan of a single file.
                if wrote { try await client.scan(folder: id, below: [SyncthingIgnores.fileName]) }
            }
        }
        let state = former.map { $0.isSetUp ? "is set already" : "is set" } ?? "is made"
        terminal.print("Syncthing's folder '\(EscapedText.escape(id))' \(state)")
        for text in share {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard let device = parts.first else { continue }
            let isNew = try await target.ask { client throws(SyncthingError) in
                try await client.share(id, with: device, at: parts.count > 1 ? parts[1] : nil)
            }
            let name = EscapedText.escape(device)
            terminal.print("It is shared with \(name)\(isNew ? "" : " already"), which must share it with this device")
        }
        let own = try await target.ask { client throws(SyncthingError) in try await client.deviceID() }
        terminal.print("This device is \(EscapedText.escape(own))")
    }

    private static let longestIgnores = 1 << 20

    /// Puts the pattern before all others, because the first matching pattern decides; returns whether it was missing.
    ///
    /// Root types this, and others may write the log folder. A hard link there to a file elsewhere must not show the
    /// text of that file to all readers of the folder, so only a plain file is read.
    private func leaveOutStaging(in logs: String) throws -> Bool {
        let name = SyncthingIgnores.fileName
        do {
            let folder = try OpenFolder(logs)
            let text = String(decoding: try folder.contents(of: name, limit: Self.longestIgnores) ?? [], as: UTF8.self)
            guard !SyncthingIgnores.leaveOutStaging(text.split(separator: "\n")) else { return false }
            // Syncthing and the daemon read the file through their group or as others, whatever the umask is.
            let file = try NewFile(name, in: folder, mode: 0o664)
            try file.write(Array("\(SyncthingIgnores.staging)\n\(text)".utf8))
            try file.replace()
            return true
        } catch let failure as FileFailure where failure.code == ELOOP {
            throw CommandFailure(
                reason: "\(failure.path) is a link, a folder, a pipe or a second name of a file elsewhere. "
                    + "It was not changed.\nhint: If nobody needs it: rm \(failure.path.shellWord)",
                status: .inputOutput
            )
        }
    }
}
